    Rule {
        name: "@kebab@",
        law: "write the left side = the right side",
        numerics: Numerics::Exact,
        one_way: false,
        find: @snake@,
        example: |e| {
            // A random graph on which the rule applies to the output's operator.
            let shape = e.shape(2);
            let x = e.input(&shape);
            let y = e.unary(sinter_ops::ops::unary::UnaryKind::Relu, x);
            e.output(y);
        },
    },
