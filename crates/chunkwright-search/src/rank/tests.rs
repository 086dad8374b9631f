//! What counts come to.

use super::counts::neighbours;
use super::worth::saturated;

#[test]
fn neighbours_are_counted_once_each() {
    assert_eq!(neighbours(&[0, 4, 9], &[1, 5, 7, 10]), 3);
    assert_eq!(neighbours(&[0, 4], &[0, 4]), 0);
    assert_eq!(neighbours(&[], &[1]), 0);
}

#[test]
fn a_word_that_comes_again_counts_less_each_time() {
    let steps: Vec<f32> = [1.0, 2.0, 3.0].map(|count| saturated(count, 2.0)).into();
    assert_eq!(steps[0], 1.0);
    assert!(steps[2] - steps[1] < steps[1] - steps[0]);
}
