//! What is outside the dialect refuses the kernels that need it, by name and line, and no others.
//! What is no PTX refuses the module.

use ptx::ErrorKind;
use ptx::ir::Clusters;

/// What every text begins with: a kernel that is right, and what the others use.
const HEAD: &str = r#".version 9.0
.target sm_90a
.address_size 64
.file 1 "/book/kernels/odd.cu"
.extern .func (.param .b64 r) malloc(.param .b64 size);
.func right() { ret; }
.global .texref image;
.global .align 8 .u64 table[2] = {0, right};
.global .align 8 .b8 nested[4] = {{1, 2}, {3, 4}};
.global .align 8 .u64 words[2] = {5, table};
.func again(.param .b32 x)
{
    .loc 1 7 1
    { .param .b32 y; call again, (y); }
    ret;
}
.visible .entry plain(.param .u64 p)
{
    .reg .b64 %rd<2>;
    mov.u64 %rd1, words;
    call right, ();
    ret;
}
"#;

/// Declares a kernel with some registers, at source line 48, and returns it behind [`HEAD`].
fn text(directives: &str, body: &str) -> String {
    format!(
        "{HEAD}.visible .entry odd(.param .u64 p, .param .u32 n)\n{directives}\n{{\n\
         .reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .f32 %f<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         .loc 1 48 1\n{body}\nret;\n}}\n.visible .entry last() {{ ret; }}\n"
    )
}

/// The message with which the kernel `odd` is refused. All other kernels are decoded.
#[track_caller]
fn refusal(directives: &str, body: &str) -> String {
    let module = ptx::parse(&text(directives, body)).unwrap_or_else(|e| panic!("{body}: {e}"));
    let names: Vec<&str> = module.kernels.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names, ["plain", "odd", "last"], "{body}");
    for kernel in [&module.kernels[0], &module.kernels[2]] {
        assert_eq!(kernel.unsupported, None, "{body}");
    }
    let odd = &module.kernels[1];
    assert_eq!((odd.params.len(), odd.param_bytes, odd.code.len()), (2, 12, 1));
    odd.unsupported.as_ref().unwrap_or_else(|| panic!("{body}: not refused")).to_string()
}

#[test]
fn a_kernel_is_refused_by_name_line_and_cause() {
    let cases = [
        (
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f5,%f6,%f7,%f8};",
            "unsupported instruction `mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32`",
        ),
        (
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%rd1];",
            "unsupported instruction `ldmatrix.sync.aligned.m8n8.x4.shared.b16`",
        ),
        ("wgmma.fence.sync.aligned;", "`wgmma.fence.sync.aligned`"),
        ("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%f5,%f6}];", "`tex.2d.v4.f32.f32`"),
        ("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}];", "`tex.1d.v4.f32.s32`"),
        ("mov.u64 %rd1, image;", "`.texref` in a declaration"),
        ("mov.u64 %rd1, table;", "the address of `right` as initialiser"),
        ("mov.u64 %rd1, nested;", "nested braces in an initialiser"),
        ("mov.u64 %rd1, right;", "the address of function `right`"),
        ("cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "`cvt.rn.satfinite.e4m3x2.f32`"),
        ("{ proto: .callprototype _ (.param .b32 _); call %rd1, (), proto; }", "indirect call"),
        ("{ call (%r1), %rd1, (), proto; }", "an indirect call"),
        (".reg .b128 %big;", "`.b128` in a declaration"),
        (".local .u32 x[2] = {1, 2};", "the initialiser of `x`, inside a function"),
        (".strange 4, 5;", "directive `.strange`"),
        ("setmaxnreg.inc.sync.aligned.u32 96;", "`setmaxnreg.inc.sync.aligned.u32`"),
        (
            "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3];",
            "`cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes`",
        ),
    ];
    for (body, cause) in cases {
        let message = refusal("", body);
        let place = "in `odd`, line 33 (odd.cu:48): ";
        assert!(message.starts_with(place) && message.contains(cause), "{body}: {message}");
    }
}

#[test]
fn what_a_called_function_needs_is_named_there() {
    let call = "{ .param .b32 x; call again, (x); }";
    let expected = "in `again`, line 14 (odd.cu:7): unsupported: recursive call of `again`";
    assert_eq!(refusal("", call), expected);
    let call = "{ .param .b64 s; .param .b64 r; call (r), malloc, (s); }";
    assert!(refusal("", call).contains("a call of `malloc`: memory allocated in a kernel"));
}

#[test]
fn directives_of_a_kernel() {
    let refused = refusal(".blocksareclusters", "");
    assert_eq!(refused, "in `odd`, line 25: unsupported: directive `.blocksareclusters`");
    let of = |directives: &str| {
        let module = ptx::parse(&text(directives, "")).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(module.kernels[1].unsupported, None);
        (module.kernels[1].max_threads, module.kernels[1].clusters)
    };
    let clusters = Clusters { most: Some(8), ..Clusters::default() };
    assert_eq!(of(".maxntid 256, 1, 1\n.maxclusterrank 8"), (Some(256), clusters));
    let clusters = Clusters { explicit: true, required: Some([4, 2, 1]), most: None };
    assert_eq!(of(".explicitcluster\n.reqnctapercluster 4, 2"), (None, clusters));
}

#[test]
fn what_is_no_ptx_refuses_the_module() {
    let cases = [
        (
            "frobnicate.u32 %r1;",
            "in `odd`, line 33 (odd.cu:48): `frobnicate.u32` is no instruction of PTX",
        ),
        ("frobnicate [%r1, {%r2}];", "in `odd`, line 33: `frobnicate` is no instruction of PTX"),
        (
            "mov.u32 %r1, %nothing;",
            "in `odd`, line 33 (odd.cu:48): `%nothing` is not declared here",
        ),
        ("call missing, ();", "in `odd`, line 33 (odd.cu:48): `missing` is not declared here"),
        ("add.s32 %r1, %r2, %r3", "in `odd`, line 34: expected `,` or `;`, found `ret`"),
        (
            "tex.2d.v4.f32.f32 {%f1, [image",
            "in `odd`, line 37: expected `;`, found the end of the text",
        ),
    ];
    for (body, expected) in cases {
        let error = ptx::parse(&text("", body)).expect_err(body);
        assert!(!matches!(error.kind, ErrorKind::Unsupported(_)), "{body}");
        assert_eq!(error.to_string(), expected, "{body}");
    }
}
