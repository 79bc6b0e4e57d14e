//! What rules in text may be, and what the check finds.

use super::*;

fn read(text: &str) -> Result<Vec<TextRule>, String> {
    parse_rules("rules.txt", text).map_err(|e| e.to_string())
}

#[test]
fn right_rules_are_taken() {
    let text = "
# doubling
double [exact]: (mul ?x 2.0) => (add ?x ?x)
untranspose [exact]: (transpose :perm ?q (transpose :perm ?p ?x))
    => (transpose :perm (compose ?p ?q) ?x)
twice [rounding]: (mul (conv :strides [1,1] :pads [0,0,0,0] :dilations [1,1] :groups 1 ?x ?w) 3.0)
    => (conv :strides [1,1] :pads [0,0,0,0] :dilations [1,1] :groups 1 ?x (mul ?w 3.0))
    where ?x: nxcxhxw, ?w: oxcx3x3
sum-of-sum [reassociating]: (reduce :kind sum :axes ?a :keep_dims true (mul ?x 4.0))
    => (mul (reduce :kind sum :axes ?a :keep_dims true ?x) 4.0)
";
    let rules = read(text).unwrap();
    assert_eq!(rules.len(), 4);
    let again: TextRule = String::from(rules[1].clone()).try_into().unwrap();
    assert_eq!(again, rules[1]);
}

#[test]
fn wrong_rules_are_refused_with_a_counterexample() {
    let error = read("wrong [exact]: (mul ?x 2.0) => (add ?x 2.0)").unwrap_err();
    for part in ["rules.txt:1", "?x = ", "the left side gives", "the right"] {
        assert!(error.contains(part), "{error}");
    }
    // True of real numbers, not of zero by zero.
    let error = read("cancel [approximate]: (mul (div ?x ?y) ?y) => (add ?x 0.0)").unwrap_err();
    assert!(error.contains("NaN"), "{error}");
    // True up to rounding only.
    let rule = |class| format!("third [{class}]: (div ?x 3.0) => (mul ?x 0.3333333432674408)");
    assert!(read(&rule("exact")).is_err());
    assert!(read(&rule("rounding")).is_ok());
}

#[test]
fn faults_say_what_is_meant() {
    for (text, part) in [
        ("double (mul ?x 2.0) => ?x", "a rule is 'NAME [CLASS]"),
        (
            "double [exakt]: (relu ?x) => ?x",
            "no numerics class is called 'exakt'",
        ),
        ("d [exact]: (relu ?x) => ?y", "'?y' is not on the left side"),
        ("d [exact]: ?x => ?x", "the left side is no operator"),
        (
            "d [exact]: (rellu ?x) => ?x",
            "no operator is called 'rellu'; did you mean 'relu'?",
        ),
        (
            "d [exact]: (relu ?x => ?x",
            "1 '(' of '(relu ?x' not closed",
        ),
        (
            "d [exact]: (softmax ?x) => ?x",
            "needs the attribute 'axis'",
        ),
        (
            "silu-from-product [exact]: (relu ?x) => (relu ?x)",
            "another rule",
        ),
        (
            "d [exact]: (relu ?x) => (relu ?x) where ?x: 2y3",
            "'2y3' is no shape",
        ),
        (
            "d [exact]: (relu ?x) => (relu ?x) where x: 2x3",
            "'x: 2x3' of 'where' is not '?x: 2x3'",
        ),
        (
            "d [exact]: (relu ?x) => (relu ?x) where ?y: 2x3",
            "'?y' of 'where' is not on the left side",
        ),
        (
            "d [exact]: (relu ?x) => (relu ?x) where ?x: 2x3, ?x: 3x3",
            "'where' says twice what '?x' is",
        ),
        (
            "d [exact]: (softmax :axis ?x ?x) => ?x where ?x: 2x3",
            "'?x' is an operand and an attribute",
        ),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// A rule that is wrong where the ranges of its own numbers end.
fn refused(rule: &str) {
    let error = read(rule).expect_err(rule);
    assert!(error.contains("the left side gives"), "{rule}: {error}");
}

#[test]
fn limits_of_any_size_are_exercised() {
    for class in ["exact", "rounding", "reassociating", "approximate"] {
        for wrong in [
            "(min ?x 1000.0) => ?x",
            "(min ?x 6.0) => ?x",
            "(max ?x -1e9) => ?x",
            "(clamp :min -100.0 :max 100.0 ?x) => ?x",
            "(clamp :min 0.0 :max 6.0 ?x) => (relu ?x)",
            "(relu ?x) => (clamp :min 0.0 :max 6.0 ?x)",
            "(min (mul ?x 0.001) 5.0) => (mul ?x 0.001)",
            "(min (max ?x 5.0) 20.0) => (max ?x 5.0)",
            "(clamp :min 0.0 :max 6.0 (add ?x 300.0)) => (relu (add ?x 300.0))",
        ] {
            refused(&format!("wrong [{class}]: {wrong}"));
        }
    }
}

#[test]
fn exact_rules_hold_for_every_number() {
    // Each is true of all numbers between -3 and 3, the first of all there are.
    for wrong in [
        "(mul ?x 0.0) => (sub ?x ?x)",
        "(mul (mul ?x 1e20) 1e-20) => ?x",
        "(mul (mul ?x 2.0) 0.5) => ?x",
        "(min (abs ?x) 3.4028234e38) => (abs ?x)",
    ] {
        let rule = format!("wrong [exact]: {wrong}");
        match wrong.contains("sub") {
            true => assert!(read(&rule).is_ok(), "{rule}"),
            false => refused(&rule),
        }
    }
    for right in [
        "(mul ?x 2.0) => (add ?x ?x)",
        "(div ?x 4.0) => (mul ?x 0.25)",
        "(max ?x ?y) => (max ?y ?x)",
        "(clamp :min 2.0 :max 900.0 (clamp :min 5.0 :max 1000.0 ?x)) => (clamp :min 5.0 :max 900.0 ?x)",
        "(add ?x 0.0) => ?x",
    ] {
        let rule = format!("right [exact]: {right}");
        assert_eq!(read(&rule).map(|r| r.len()), Ok(1), "{rule}");
    }
}

#[test]
fn rounding_and_the_left_sides_overflow_are_no_fault() {
    for right in [
        "[rounding]: (mul (mul ?x 3.0) 5.0) => (mul ?x 15.0)",
        "[rounding]: (mul (mul ?x 1e20) 1e-20) => (mul ?x 1.0)",
        "[reassociating]: (mul (mul ?x ?y) ?z) => (mul ?x (mul ?y ?z))",
        "[reassociating]: (add (add ?x ?y) ?z) => (add ?x (add ?y ?z))",
        "[reassociating]: (add (add ?x 3.0) -3.0) => (add ?x 0.0)",
        // Infinite by infinite where ?x is large; the right side is the better one.
        "[rounding]: (mul ?x (sigmoid ?x)) => (silu ?x)",
        "[rounding]: (log (add (exp ?x) 1.0)) => (softplus ?x)",
    ] {
        let rule = format!("right {right}");
        assert_eq!(read(&rule).map(|r| r.len()), Ok(1), "{rule}");
    }
    // The other way round an overflow comes in.
    refused("wrong [rounding]: (softplus ?x) => (log (add (exp ?x) 1.0))");
    refused("wrong [reassociating]: (exp (add ?x ?y)) => (mul (exp ?x) (exp ?y))");
}

#[test]
fn a_rule_is_used_in_the_element_types_in_which_it_is_right() {
    let elements = |rule: &str| read(rule).unwrap()[0].elements.clone();
    let halves = elements("half [exact]: (div ?x 2.0) => (mul ?x 0.5)");
    assert!(halves.contains(&ElementType::F32) && halves.contains(&ElementType::F16));
    // An integer has no half.
    assert!(!halves.contains(&ElementType::I64), "{halves:?}");
    let doubled = elements("double [exact]: (mul ?x 2.0) => (add ?x ?x)");
    assert!(doubled.contains(&ElementType::I32) && doubled.contains(&ElementType::U8));
    // 2^17 is no number of f16.
    let large = elements("large [exact]: (mul (mul ?x 4.0) 32768.0) => (mul ?x 131072.0)");
    assert!(!large.contains(&ElementType::F16), "{large:?}");
    let moved = elements(
        "turn [exact]: (transpose :perm ?q (transpose :perm ?p ?x)) \
        => (transpose :perm (compose ?p ?q) ?x)",
    );
    assert_eq!(moved.len(), 9);
}

#[test]
fn what_cannot_be_checked_in_reasonable_time_is_refused() {
    let nested = format!(
        "deep [exact]: {}?x{} => ?x",
        "(relu ".repeat(5000),
        ")".repeat(5000)
    );
    let keys: String = (0..40).map(|n| format!(":a{n} 1 ")).collect();
    for (text, part) in [
        (
            "d [exact]: (relu ?x) => (relu ?x) where ?x: 999999999x999999999",
            "has more than 4096 elements",
        ),
        (
            "d [exact]: (relu ?x) => (relu ?x) where ?x: 9223372036854775807x9",
            "has more than 4096 elements",
        ),
        (
            "d [exact]: (relu ?x) => (abs ?x) where ?x: 0x3",
            "has no elements",
        ),
        (
            "d [exact]: (relu ?x) => (abs ?x) where ?x: 2x-3",
            "has no elements",
        ),
        (
            "d [exact]: (expand :shape [1000000,1000000,1000000] ?x) => ?x where ?x: 1x1x1",
            "more than 65536 elements",
        ),
        (&nested, "nested at most 64 deep"),
        (
            &format!("many [exact]: (relu {keys} ?x) => ?x"),
            "no further attribute 'a8'",
        ),
        (
            "d [exact]: (softmax :axis 1 :axis 1 ?x) => ?x",
            "no further attribute 'axis'",
        ),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(part), "{text:.200}: {error:.500}");
    }
}

#[test]
fn a_pattern_is_read_to_its_end() {
    for (text, said) in [
        (
            "d [exact]: (add ?x 0.0 => ?x",
            "1 '(' of '(add ?x 0.0' not closed",
        ),
        (
            "d [exact]: (add ?x 0.0)) => ?x",
            "a ')' of '(add ?x 0.0))' closes nothing",
        ),
        (
            "d [exact]: (add ?x 0.0) ?y => ?x",
            "'?y' follows a pattern that has ended",
        ),
        (
            "d [exact]: (add ?x 0.0) => ?x 0.0",
            "'0.0' follows a pattern that has ended",
        ),
    ] {
        assert_eq!(
            read(text).unwrap_err(),
            format!("rules.txt:1: {said}"),
            "{text}"
        );
    }
}

#[test]
fn near_names_are_suggested() {
    let error = read("d [exact]: (reluu ?x) => ?x").unwrap_err();
    assert_eq!(
        error,
        "rules.txt:1: no operator is called 'reluu'; did you mean 'relu'?"
    );
    let error = read("d [exact]: (softmax :axi 1 ?x) => ?x").unwrap_err();
    assert_eq!(
        error,
        "rules.txt:1: 'softmax' has no attribute 'axi'; it has 'axis'"
    );
}

#[test]
fn a_rule_is_checked_at_every_shape_that_where_admits() {
    let mean = "(mul (reduce :kind mean :axes [0] :keep_dims false ?x) 4.0) \
        => (reduce :kind sum :axes [0] :keep_dims false ?x)";
    for admitted in ["", "where ?x: nxc", "where ?x: nx3", "where ?x: nxn"] {
        refused(&format!("mean [rounding]: {mean} {admitted}"));
    }
    for right in ["where ?x: 4x3", "where ?x: 4xc", "where ?x: 4xcxc"] {
        read(&format!("mean [rounding]: {mean} {right}")).expect(right);
    }
    // Letters of attributes are those of shapes.
    let rule = |pins| format!("d [exact]: (reshape :shape ?s ?x) => ?x where ?x: axb, ?s: {pins}");
    assert!(read(&rule("[a,b]")).is_ok());
    let flat = read(&rule("[a]")).unwrap_err();
    assert!(flat.contains("no random operands fit"), "{flat}");
    // A rule's numbers are extents too: this holds up to four rows.
    refused(
        "rows [exact]: (min (reduce :kind sum :axes [0] :keep_dims false (clamp :min 0.0 :max 1.0 ?x)) 4.0) \
            => (reduce :kind sum :axes [0] :keep_dims false (clamp :min 0.0 :max 1.0 ?x))",
    );
}

#[test]
fn a_counterexample_shows_attributes_as_they_are_written() {
    for (rule, shown) in [
        ("l [exact]: (leaky_relu :alpha ?b ?x) => (relu ?x)", "?b = "),
        (
            "s [exact]: (softmax :axis ?a ?x) => (softmax :axis 0 ?x)",
            "?a = ",
        ),
        (
            "t [exact]: (transpose :perm ?p ?x) => (transpose :perm (invert ?p) ?x) where ?x: 2x2x2",
            "?p = [",
        ),
        (
            "r [approximate]: (reduce :kind ?k :axes [0] :keep_dims false ?x) \
                => (reduce :kind sum :axes [0] :keep_dims false ?x) where ?k: mean",
            "?x = ",
        ),
    ] {
        let error = read(rule).unwrap_err();
        assert!(error.contains(shown), "{error}");
        for debug in ["Float", "Int", "Str", "Bits"] {
            assert!(!error.contains(debug), "{error}");
        }
    }
}
