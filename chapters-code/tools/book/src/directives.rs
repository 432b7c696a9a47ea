//! The preprocessor that answers all directives of this book and renders its formulas, in one pass
//! over the pages as they are written, so that its errors name the line that the author sees.

use std::cell::{RefCell, RefMut};
use std::collections::{BTreeSet, HashMap};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use mdbook_driver::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::address::up;
use crate::arithmetic;
use crate::bibliography::Bibliography;
use crate::brief::Box;
use crate::constructs::{self, Rows, Sources};
use crate::course;
use crate::evidence;
use crate::expand::{Call, expand};
use crate::figure::Figures;
use crate::glossary::{self, Glossary};
use crate::lab::Labs;
use crate::lesson::{self, Asks, Blocks, Found, Judged, Plan, Sought};
use crate::listing::{Links, Listings};
use crate::measured::{self, Records};
use crate::opcodes;
use crate::verdict::{self, Verdict};
use crate::{Problem, Problems, Strictness, check, mathematics, words};

/// The setting that names the repository, which mdBook shows in its menu bar.
const REPOSITORY: &str = "output.html.git-repository-url";

/// The page that shows how to get a clone.
const SET_UP: &str = "chapter_0_setup/index.md#set-up";

/// The preprocessor that replaces the directives.
pub struct Directives {
    strictness: Strictness,
    links: Links,
    figures: Rc<RefCell<Figures>>,
    labs: Rc<RefCell<Labs>>,
    listed: Listed,
}

/// The files that the book lists, known when the preprocessor has run.
pub(crate) type Listed = Arc<Mutex<BTreeSet<String>>>;

impl Directives {
    /// The preprocessor; a strict one refuses a book that has no recorded run.
    pub fn new(
        strictness: Strictness,
        links: Links,
        figures: Rc<RefCell<Figures>>,
        labs: Rc<RefCell<Labs>>,
    ) -> Self {
        Self { strictness, links, figures, labs, listed: Listed::default() }
    }

    /// Where the files that the book lists will stand.
    pub(crate) fn listed(&self) -> Listed {
        self.listed.clone()
    }
}

impl Preprocessor for Directives {
    fn name(&self) -> &str {
        "directives"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let mut answers = Answers::new(self, context, &book)?;
        answers.figures.begin();
        self.labs.borrow_mut().begin();
        let mut problems = Vec::new();
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item
                && let Err(Problems(found)) = answers.expand(chapter)
            {
                problems.extend(found);
            }
        });
        problems.extend(answers.problems());
        Problems(problems).into_result()?;
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        *listed = answers.listings.files;
        Ok(book)
    }
}

/// The answers to the questions of a page.
struct Answers<'a> {
    root: PathBuf,
    /// The folder of the pages, relative to the root.
    source: PathBuf,
    records: Records,
    strictness: Strictness,
    figures: RefMut<'a, Figures>,
    listings: Listings,
    glossary: Glossary,
    bibliography: Bibliography,
    plan: Plan,
    asks: Asks,
    kernels: Sources,
    constructs: Rows,
    /// Where the repository can be seen, if that is known.
    repository: Option<String>,
    /// For each page of the main path, links to the words that no page before it has used.
    new_words: HashMap<PathBuf, Vec<String>>,
}

impl<'a> Answers<'a> {
    /// Reads what the directives of `book` are answered from.
    fn new(asked: &'a Directives, context: &PreprocessorContext, book: &Book) -> Result<Self> {
        let source = context.config.book.src.clone();
        let folder = context.root.join(&source);
        let mut bibliography =
            Bibliography::load(&folder, &source).map_err(|problem| Problems(vec![problem]))?;
        let mut glossary = Glossary::default();
        let mut plan = Plan::default();
        let mut asks = Asks::default();
        let mut constructs = Rows::default();
        for (place, (path, chapter)) in pages(book).enumerate() {
            bibliography.survey(place, &chapter.name, path, &chapter.content);
            plan.survey(&chapter.name, path, &chapter.content);
            asks.survey(path, words::is_deeper(chapter), &chapter.content);
            if path == Path::new(glossary::PAGE) {
                glossary =
                    Glossary::read(&source.join(path), &chapter.content).map_err(Problems)?;
            }
            if path == Path::new(constructs::PAGE) {
                constructs = Rows::read(&source.join(path), &chapter.content).map_err(Problems)?;
            }
        }
        let of_main_path = pages(book).filter(|(path, chapter)| {
            !words::is_deeper(chapter) && *path != Path::new(glossary::PAGE)
        });
        let new_words = of_main_path
            .map(|(path, chapter)| (path.clone(), glossary.new_words(path, &chapter.content)))
            .collect();
        let records = Records::load(&folder.join(measured::FOLDER))?;
        if asked.strictness == Strictness::Strict {
            records.check_kernels(chapters::ALL).map_err(anyhow::Error::msg)?;
        }
        Ok(Self {
            records,
            strictness: asked.strictness,
            figures: asked.figures.borrow_mut(),
            listings: Listings::new(&context.root, asked.links, asked.labs.clone()),
            kernels: Sources::load(&context.root)?,
            constructs,
            new_words,
            repository: context.config.get(REPOSITORY)?,
            root: context.root.clone(),
            source,
            glossary,
            bibliography,
            plan,
            asks,
        })
    }

    fn expand(&mut self, chapter: &mut Chapter) -> Result<(), Problems> {
        let Some(path) = chapter.source_path.clone() else {
            return Ok(());
        };
        let page = self.source.join(&path);
        // Words of the glossary come first: what constructs become is no inline code any more.
        let is_appendix = path == Path::new(constructs::PAGE);
        let marked = match path == Path::new(glossary::PAGE) {
            true => glossary::titles(&chapter.content),
            false if is_appendix => {
                self.glossary.mark(&path, &self.constructs.with_places(&chapter.content))
            }
            false => self.glossary.mark(&path, &chapter.content),
        };
        let marked = match is_appendix {
            true => marked,
            false => self.constructs.mark(&path, &marked),
        };
        let marked = lesson::with_ends(&marked);
        let mut blocks = Blocks::of(&path);
        let new_words = self.new_words.remove(&path).unwrap_or_default();
        let mut answer = |call: &Call<'_>| {
            match call.name() {
                "verdict" => return self.verdict(&page, &blocks.judged(call.arguments())?),
                "box" => return self.brief(&page, call.arguments(), &new_words),
                _ => {}
            }
            let block = blocks.answer(call, |sought| self.found(&page, sought));
            block.unwrap_or_else(|| self.answer(&path, &page, call))
        };
        let expanded = expand(&page, &marked, &mut answer);
        let mut problems: Vec<Problem> = blocks.unfinished(&page, &marked).into_iter().collect();
        let faults = arithmetic::faults(&chapter.content, &|it| self.measured(&page, it).ok());
        problems.extend(
            faults
                .into_iter()
                .map(|(at, message)| Problem::at(&page, &chapter.content, at, message)),
        );
        if is_appendix {
            problems.extend(self.kernels.missing(&page, &chapter.content));
        }
        match expanded.and_then(|text| with_formulas(&page, &text)) {
            Ok(text) => chapter.content = text,
            Err(Problems(found)) => problems.extend(found),
        }
        Problems(problems).into_result()
    }

    /// The answer to a directive of the page at `path` in the source folder, `page` in the project.
    fn answer(&mut self, path: &Path, page: &Path, call: &Call<'_>) -> Result<String, String> {
        match call.name() {
            "figure" => self.figure(page, call.arguments()),
            "launch" => self.figures.launch(page, call.arguments()),
            "lab" => self.listings.named_button(page, call.arguments()),
            "listing" => self.listings.answer(page, call.arguments()),
            "term" => self.glossary.answer(path, call.arguments()),
            "cite" => self.bibliography.cite(path, call.arguments()),
            "published" => self.bibliography.published(path, call.arguments()),
            "predict" => predicted(call.arguments()),
            "computed" => arithmetic::computed(call.arguments(), &|it| self.measured(page, it)),
            "bibliography" => Ok(self.bibliography.entries()),
            "teaching_plan" => self.plan.tables(),
            "predictions" => {
                let found = |of: &Path, sought: &Sought| self.found(&self.source.join(of), sought);
                self.asks.table(path, call.arguments(), found)
            }
            "evidence" => evidence::all(&self.root, &self.source),
            "recording" => evidence::table(&self.root, &self.source, call.arguments()),
            "used_in" => self.kernels.used_in(call.arguments()),
            "opcodes" => opcodes::answer(call.arguments()),
            "lab_options" => Ok(crate::lab::options()),
            "repository" => Ok(self.repository(path, call.arguments())),
            "exercises" => course::answer(&self.root, path, call.arguments()),
            name if name.starts_with("measured")
                || ["claim", "so_far", "other_memory"].contains(&name) =>
            {
                measured::answer(page, call.body, &self.records, self.strictness)
            }
            other => Err(format!("there is no directive {other}")),
        }
    }

    /// What the directive `measured` with these arguments prints.
    fn measured(&self, page: &Path, arguments: &str) -> Result<String, String> {
        let body = format!("measured {arguments}");
        measured::answer(page, &body, &self.records, self.strictness)
    }

    /// A link to the repository, or to the page that shows how to get a clone.
    fn repository(&self, path: &Path, words: &str) -> String {
        match self.repository.as_deref().filter(|address| !address.is_empty()) {
            Some(address) => format!("[{words}]({address})"),
            None => format!("[{words}]({}{SET_UP})", up(path)),
        }
    }

    /// A figure, and where the button stands that runs its kernel.
    fn figure(&mut self, page: &Path, arguments: &str) -> Result<String, String> {
        let figure = self.figures.answer(page, arguments)?;
        let button = match Figures::drawn(page, arguments) {
            Some(drawn) => self.listings.button(&drawn)?,
            None => String::new(),
        };
        Ok(figure + &button)
    }

    /// The box on top of `page`, with the links to the words that are new there.
    fn brief(&mut self, page: &Path, arguments: &str, words: &[String]) -> Result<String, String> {
        let brief = Box::parse(arguments)?;
        let Some((keys, counted)) = &brief.limits else {
            return Ok(brief.html(None, words));
        };
        let reached = measured::reached(page, keys, &self.records, self.strictness)?;
        let needs = self.figures.needs(page, counted)?;
        Ok(brief.html(reached.as_ref().map(|reached| (reached, needs)), words))
    }

    /// What a question of `page` seeks.
    fn found(&self, page: &Path, sought: &Sought) -> Result<Found, String> {
        Ok(match sought {
            Sought::Measured { value, unit } => Found {
                shown: measured::in_unit(page, value, unit, &self.records, self.strictness)?,
                number: self.quantity(page, value, unit)?,
                is_count: measured::is_count(value),
            },
            Sought::Count { number, unit, shown } => {
                let shown = figures::page::inline(shown);
                let is_count = is_counted(unit);
                Found { shown, number: Some(*number), is_count }
            }
            Sought::Text(text) => {
                Found { shown: figures::page::inline(text), number: None, is_count: false }
            }
        })
    }

    fn quantity(&self, page: &Path, text: &str, unit: &str) -> Result<Option<f64>, String> {
        measured::quantity(page, text, unit, &self.records, self.strictness)
    }

    /// What came of a prediction of `page`.
    fn verdict(&self, page: &Path, judged: &Judged) -> Result<String, String> {
        let Judged { prediction, sought } = judged;
        let verdict = match sought {
            Sought::Text(answer) => Some(verdict::judge_words(prediction, answer)),
            Sought::Count { number, unit, .. } => {
                let count = |text: &str| measured::count(text, unit).map(Some);
                judge(lesson::read(prediction, is_counted(unit), count)?, Some(*number))
            }
            Sought::Measured { value, unit } => {
                let unit = match unit.as_str() {
                    "" => measured::natural_unit(value),
                    unit => unit,
                };
                let number = |text: &str| self.quantity(page, text, unit);
                let is_count = measured::is_count(value);
                judge(lesson::read(prediction, is_count, number)?, number(value)?)
            }
        };
        Ok(verdict.map_or(measured::NOT_RECORDED.to_owned(), Verdict::html))
    }

    /// What is wrong with the book as a whole, once all pages are answered.
    fn problems(&self) -> Vec<Problem> {
        let mut problems = self.bibliography.uncited(&self.source);
        problems.extend(self.glossary.unused(&self.source.join(glossary::PAGE)));
        problems
    }
}

/// Whether a number in this unit, which a test or the simulator gives, is a count and no part of one.
fn is_counted(unit: &str) -> bool {
    !unit.starts_with('%')
}

/// The verdict, where neither waits for a recording.
fn judge(prediction: Option<verdict::Prediction>, value: Option<f64>) -> Option<Verdict> {
    prediction.zip(value).map(|(prediction, value)| verdict::judge(prediction, value))
}

/// A figure that was not measured.
fn predicted(text: &str) -> Result<String, String> {
    match text {
        "" => Err("write what is predicted: {{#predict 1.8×}}".to_owned()),
        text => Ok(format!("<span class=\"predicted\">{text}</span>")),
    }
}

/// `text` with its formulas rendered. One that the author wrote has been checked before: what is
/// rejected here came from an answer.
fn with_formulas(page: &Path, text: &str) -> Result<String, Problems> {
    mathematics::expand(text).map_err(|(_, words)| {
        let message = format!("KaTeX rejects a formula that a directive made: {words}");
        Problems(vec![Problem::at(page, "", 0, message)])
    })
}

/// The pages of `book` that have a file, with its path in the source folder.
fn pages(book: &Book) -> impl Iterator<Item = (&PathBuf, &Chapter)> {
    book.iter().filter_map(|item| match item {
        BookItem::Chapter(chapter) => Some((chapter.source_path.as_ref()?, chapter)),
        BookItem::Separator | BookItem::PartTitle(_) => None,
    })
}

/// Serves one request of mdBook's preprocessor protocol: a book in, a book out, as JSON.
///
/// # Errors
/// All that is wrong with the book.
pub fn serve(input: impl Read, output: impl Write) -> Result<()> {
    let (context, book) = mdbook_preprocessor::parse_input(input)?;
    let (root, source) = (&context.root, &context.config.book.src);
    check::check(&book, root, source, Strictness::Draft)?;
    let figures = Figures::new(root);
    let labs = Rc::new(RefCell::new(Labs::new(root, figures.simulated())));
    let figures = Rc::new(RefCell::new(figures));
    let book =
        Directives::new(Strictness::Draft, Links::None, figures, labs).run(&context, book)?;
    serde_json::to_writer(output, &book)?;
    Ok(())
}
