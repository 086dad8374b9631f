//! x
use chunkwright::*;
use std::sync::Arc;
#[test]
fn dbg() {
    let path = std::env::var("F").unwrap();
    let text = std::fs::read_to_string(format!("tests/corpus/{path}")).unwrap();
    let mut config = Config::default();
    config.context = Some(Context::None);
    let b: usize = std::env::var("B").unwrap().parse().unwrap();
    config.hierarchical.target = Some(b);
    config.hierarchical.max = Some(b * 2);
    let counter: Arc<dyn TokenCounter> =
        plain_counter(&std::env::var("T").unwrap(), Bias::Balanced).unwrap().into();
    let c = Chunker::new(config, counter.clone()).unwrap();
    for ch in c.chunk(&Source::new(&path, &text)).chunks {
        println!(
            "=== {:?} {} {:?} {:?}\n{}",
            ch.breadcrumb, ch.tokens, ch.lines, ch.pieces, ch.text
        );
    }
    for f in chunkwright_laws::check(&c, &*counter, &Source::new(&path, &text)) {
        println!("FAULT {f}");
    }
}
