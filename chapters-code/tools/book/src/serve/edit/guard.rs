//! Who is answered: a page of this server, in a session that its reader has begun.
//!
//! A page of another site can make a browser send requests here. Such a request names another origin, or has no JSON;
//! and if the site's name has come to mean this machine, it names another host. None of them knows the token.

use anyhow::{Context, Result};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, StatusCode};

/// Bytes of a token.
const BYTES: usize = 32;

/// What a request must have.
pub(super) struct Guard {
    token: String,
    hosts: [String; 2],
}

impl Guard {
    /// For a server at `port` of this machine, with a new token.
    pub(super) fn new(port: u16) -> Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).context("the system gives no random numbers")?;
        Ok(Self {
            token: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}")),
        })
    }

    /// What a request must know.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Refuses a request that lacks something.
    ///
    /// # Errors
    /// The status of the answer, and why.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        let text = |name: HeaderName| {
            let mut values = headers.get_all(name).iter();
            let only = values.next().filter(|_| values.next().is_none());
            only.and_then(|value| value.to_str().ok()).unwrap_or_default()
        };
        let host = text(HOST);
        if !self.hosts.iter().any(|own| own == host) {
            return Err((StatusCode::FORBIDDEN, "the request names another host"));
        }
        if text(ORIGIN).strip_prefix("http://") != Some(host) {
            return Err((StatusCode::FORBIDDEN, "the request comes from another site"));
        }
        let token = text(AUTHORIZATION).strip_prefix("Bearer ").unwrap_or_default();
        if !is_same(token.as_bytes(), self.token.as_bytes()) {
            return Err((StatusCode::FORBIDDEN, "the token is not this session's"));
        }
        let kind = text(CONTENT_TYPE).split(';').next().unwrap_or_default();
        if kind.trim() != "application/json" {
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "a question is JSON"));
        }
        Ok(())
    }
}

/// Whether two texts are the same, in a time that tells no more than whether they are equally long.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differ =
        one.iter().zip(other).fold(0, |differ, (a, b)| std::hint::black_box(differ | (a ^ b)));
    one.len() == other.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 3000;

    /// The status that a request is refused with, where some of its headers are others.
    #[track_caller]
    fn check(others: &[(HeaderName, &str)], expected: Option<StatusCode>) {
        let guard = Guard::new(PORT).expect("random numbers");
        let mut headers = HeaderMap::new();
        let token = format!("Bearer {}", guard.token());
        for (name, value) in [
            (HOST, "127.0.0.1:3000"),
            (ORIGIN, "http://127.0.0.1:3000"),
            (AUTHORIZATION, &token),
            (CONTENT_TYPE, "application/json"),
        ] {
            headers.insert(name, value.parse().expect("a value"));
        }
        for (name, value) in others {
            headers.insert(name, value.parse().expect("a value"));
        }
        assert_eq!(guard.check(&headers).err().map(|(status, _)| status), expected);
    }

    #[test]
    fn a_page_of_the_session_is_answered() {
        check(&[], None);
        check(&[(CONTENT_TYPE, "application/json; charset=utf-8")], None);
        check(&[(HOST, "localhost:3000"), (ORIGIN, "http://localhost:3000")], None);
    }

    #[test]
    fn another_host_origin_token_or_content_is_refused() {
        for host in ["127.0.0.1:3001", "127.0.0.1", "evil.example:3000", "localhost:3000", ""] {
            // Even a name of this machine must be that of the origin.
            check(&[(HOST, host)], Some(StatusCode::FORBIDDEN));
            if host != "localhost:3000" {
                let origin = format!("http://{host}");
                check(&[(HOST, host), (ORIGIN, &origin)], Some(StatusCode::FORBIDDEN));
            }
        }
        for origin in ["http://localhost:3000", "https://127.0.0.1:3000", "null", ""] {
            check(&[(ORIGIN, origin)], Some(StatusCode::FORBIDDEN));
        }
        for token in ["Bearer ", "Bearer 00", &format!("Bearer {}", "0".repeat(2 * BYTES)), ""] {
            check(&[(AUTHORIZATION, token)], Some(StatusCode::FORBIDDEN));
        }
        for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
            check(&[(CONTENT_TYPE, kind)], Some(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
    }

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let token = || Guard::new(PORT).expect("random numbers").token().to_owned();
        assert_eq!(token().len(), 2 * BYTES);
        assert_ne!(token(), token());
    }

    #[test]
    fn texts_are_the_same_in_full_only() {
        assert!(is_same(b"abc", b"abc"));
        for other in [&b"abd"[..], b"ab", b"abcd", b"", b"xbc"] {
            assert!(!is_same(b"abc", other));
        }
    }
}
