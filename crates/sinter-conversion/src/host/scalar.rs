//! One instruction of a scalar body, on scalars or on vectors.

use sinter_ir::emitter::{FloatPredicate, IntPredicate, Value, type_of};
use sinter_loops::nest::CombineFn;
use sinter_loops::scalar::{BinaryFn, CompareFn, Scalar, UnaryFn};
use sinter_loops::types::ElementType;

use super::Generator;

impl<'c> Generator<'_, 'c> {
    /// A constant as values of its type are held.
    pub(super) fn literal(&mut self, ty: ElementType, value: f64, lanes: Option<i64>) -> Value<'c> {
        if ty.is_half() {
            return self
                .e
                .element(ElementType::F32, Scalar::new(ty, value).to_f64(), lanes);
        }
        self.e.element(ty, value, lanes)
    }

    fn round_half(&mut self, ty: ElementType, value: Value<'c>) -> Value<'c> {
        let (half, single) = (self.e.storage_type(ty), self.e.value_type(ElementType::F32));
        let narrow = self.e.convert("arith.truncf", value, half);
        self.e.convert("arith.extf", narrow, single)
    }

    pub(super) fn unary(&mut self, function: UnaryFn, ty: ElementType, a: Value<'c>) -> Value<'c> {
        if ty.is_half() {
            let result = self.float_unary(function, a);
            return self.round_half(ty, result);
        }
        if ty.is_float() {
            return self.float_unary(function, a);
        }
        let r#type = type_of(a);
        let zero = self.e.int(r#type, 0);
        match function {
            UnaryFn::Neg => self.e.subi(zero, a),
            UnaryFn::Abs if ty == ElementType::U8 || ty == ElementType::Bool => a,
            UnaryFn::Abs => self.e.unary("math.absi", a),
            UnaryFn::Not => {
                let ones = self
                    .e
                    .int(r#type, if ty == ElementType::Bool { 1 } else { -1 });
                self.e.binary("arith.xori", a, ones)
            }
            // Integers have no such function.
            _ => a,
        }
    }

    fn float_unary(&mut self, function: UnaryFn, a: Value<'c>) -> Value<'c> {
        let name = match function {
            UnaryFn::Neg => "arith.negf",
            UnaryFn::Abs => "math.absf",
            UnaryFn::Exp => "math.exp",
            UnaryFn::Log => "math.log",
            UnaryFn::Sqrt => "math.sqrt",
            UnaryFn::Rsqrt => {
                let one = self.e.float(type_of(a), 1.0);
                let root = self.e.unary("math.sqrt", a);
                return self.e.divf(one, root);
            }
            UnaryFn::Tanh => "math.tanh",
            UnaryFn::Erf => "math.erf",
            UnaryFn::Sin => "math.sin",
            UnaryFn::Cos => "math.cos",
            UnaryFn::Floor => "math.floor",
            UnaryFn::Ceil => "math.ceil",
            UnaryFn::Round => "math.roundeven",
            // Floats have no complement.
            UnaryFn::Not => return a,
        };
        self.e.unary(name, a)
    }

    /// `value`, or `a` where that is NaN.
    pub(super) fn unless_nan(&mut self, a: Value<'c>, value: Value<'c>) -> Value<'c> {
        let is_nan = self.e.cmpf(FloatPredicate::Unordered, a, a);
        self.e.select(is_nan, a, value)
    }

    /// A function of two values. Of floats `Max` and `Min` give the second operand where one is NaN.
    pub(super) fn binary(
        &mut self,
        function: BinaryFn,
        ty: ElementType,
        a: Value<'c>,
        b: Value<'c>,
    ) -> Value<'c> {
        if ty.is_half() {
            let result = self.float_binary(function, a, b);
            return self.round_half(ty, result);
        }
        if ty.is_float() {
            return self.float_binary(function, a, b);
        }
        let unsigned = ty == ElementType::U8;
        let name = match (function, ty) {
            (BinaryFn::And, _) | (BinaryFn::Mul | BinaryFn::Min, ElementType::Bool) => "arith.andi",
            (BinaryFn::Or, _) | (BinaryFn::Max, ElementType::Bool) => "arith.ori",
            (BinaryFn::Xor, _) | (BinaryFn::Add | BinaryFn::Sub, ElementType::Bool) => "arith.xori",
            (BinaryFn::Add, _) => "arith.addi",
            (BinaryFn::Sub, _) => "arith.subi",
            (BinaryFn::Mul, _) => "arith.muli",
            (BinaryFn::Max, _) if unsigned => "arith.maxui",
            (BinaryFn::Min, _) if unsigned => "arith.minui",
            (BinaryFn::Max, _) => "arith.maxsi",
            (BinaryFn::Min, _) => "arith.minsi",
            (BinaryFn::Div | BinaryFn::Rem, _) => return self.divide_integers(function, ty, a, b),
            (BinaryFn::Pow, _) => {
                let (a, b) = (
                    self.cast(ty, ElementType::F64, a),
                    self.cast(ty, ElementType::F64, b),
                );
                let power = self.e.binary("math.powf", a, b);
                return self.cast(ElementType::F64, ty, power);
            }
        };
        self.e.binary(name, a, b)
    }

    fn float_binary(&mut self, function: BinaryFn, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let name = match function {
            BinaryFn::Add => "arith.addf",
            BinaryFn::Sub => "arith.subf",
            BinaryFn::Mul => "arith.mulf",
            BinaryFn::Div => "arith.divf",
            BinaryFn::Rem => return self.float_remainder(a, b),
            BinaryFn::Max => return self.e.select_max(a, b),
            BinaryFn::Min => return self.e.select_min(a, b),
            BinaryFn::Pow => "math.powf",
            // Floats have no bitwise functions.
            BinaryFn::And | BinaryFn::Or | BinaryFn::Xor => return a,
        };
        self.e.binary(name, a, b)
    }

    /// Division that never traps: by zero it gives 0, and the least integer by -1 wraps.
    fn divide_integers(
        &mut self,
        function: BinaryFn,
        ty: ElementType,
        a: Value<'c>,
        b: Value<'c>,
    ) -> Value<'c> {
        let r#type = type_of(a);
        let (zero, one) = (self.e.int(r#type, 0), self.e.int(r#type, 1));
        let quotient = function == BinaryFn::Div;
        if ty == ElementType::Bool {
            return if quotient {
                self.e.binary("arith.andi", a, b)
            } else {
                zero
            };
        }
        let by_zero = self.e.cmpi(IntPredicate::Eq, b, zero);
        let mut divisor = self.e.select(by_zero, one, b);
        if ty == ElementType::U8 {
            let name = if quotient {
                "arith.divui"
            } else {
                "arith.remui"
            };
            let result = self.e.binary(name, a, divisor);
            return self.e.select(by_zero, zero, result);
        }
        let minus_one = self.e.int(r#type, -1);
        let negates = self.e.cmpi(IntPredicate::Eq, b, minus_one);
        divisor = self.e.select(negates, one, divisor);
        if !quotient {
            // Anything by 1 leaves 0, which is right for 0 and -1 too.
            return self.e.binary("arith.remsi", a, divisor);
        }
        let result = self.e.binary("arith.divsi", a, divisor);
        let negative = self.e.subi(zero, a);
        let result = self.e.select(negates, negative, result);
        self.e.select(by_zero, zero, result)
    }

    pub(super) fn comparison(
        &mut self,
        function: CompareFn,
        ty: ElementType,
        a: Value<'c>,
        b: Value<'c>,
    ) -> Value<'c> {
        if ty.is_float() {
            let predicate = match function {
                CompareFn::Eq => FloatPredicate::OrderedEq,
                CompareFn::Ne => FloatPredicate::UnorderedNe,
                CompareFn::Lt => FloatPredicate::OrderedLt,
                CompareFn::Le => FloatPredicate::OrderedLe,
                CompareFn::Gt => FloatPredicate::OrderedGt,
                CompareFn::Ge => FloatPredicate::OrderedGe,
            };
            return self.e.cmpf(predicate, a, b);
        }
        let unsigned = matches!(ty, ElementType::U8 | ElementType::Bool);
        let predicate = match (function, unsigned) {
            (CompareFn::Eq, _) => IntPredicate::Eq,
            (CompareFn::Ne, _) => IntPredicate::Ne,
            (CompareFn::Lt, false) => IntPredicate::SignedLt,
            (CompareFn::Le, false) => IntPredicate::SignedLe,
            (CompareFn::Gt, false) => IntPredicate::SignedGt,
            (CompareFn::Ge, false) => IntPredicate::SignedGe,
            (CompareFn::Lt, true) => IntPredicate::UnsignedLt,
            (CompareFn::Le, true) => IntPredicate::UnsignedLe,
            (CompareFn::Gt, true) => IntPredicate::UnsignedGt,
            (CompareFn::Ge, true) => IntPredicate::UnsignedGe,
        };
        self.e.cmpi(predicate, a, b)
    }

    pub(super) fn cast(&mut self, from: ElementType, to: ElementType, a: Value<'c>) -> Value<'c> {
        if from == to {
            return a;
        }
        let r#type = type_of(a);
        if to == ElementType::Bool {
            return if from.is_float() {
                let zero = self.e.float(r#type, 0.0);
                self.e.cmpf(FloatPredicate::UnorderedNe, a, zero)
            } else {
                let zero = self.e.int(r#type, 0);
                self.e.cmpi(IntPredicate::Ne, a, zero)
            };
        }
        let element = self.e.value_type(to);
        let unsigned = |t: ElementType| matches!(t, ElementType::U8 | ElementType::Bool);
        let bits = |t: ElementType| {
            if t == ElementType::Bool {
                1
            } else {
                8 * t.bytes()
            }
        };
        if from.is_half() {
            return self.cast(ElementType::F32, to, a);
        }
        if to.is_half() {
            let wide = self.cast(from, ElementType::F32, a);
            return self.round_half(to, wide);
        }
        let name = match (from.is_float(), to.is_float()) {
            (true, true) if from.bytes() < to.bytes() => "arith.extf",
            (true, true) => "arith.truncf",
            (true, false) if to == ElementType::I8 || to == ElementType::U8 => {
                // By way of i32, so that out-of-range values wrap as integers do.
                let wide = self.cast(from, ElementType::I32, a);
                return self.cast(ElementType::I32, to, wide);
            }
            (true, false) => "arith.fptosi",
            (false, true) if unsigned(from) => "arith.uitofp",
            (false, true) => "arith.sitofp",
            (false, false) if bits(from) == bits(to) => return a,
            (false, false) if bits(from) > bits(to) => "arith.trunci",
            (false, false) if unsigned(from) => "arith.extui",
            (false, false) => "arith.extsi",
        };
        self.e.convert(name, a, element)
    }

    /// `a * b + total`, with one rounding on floats.
    pub(super) fn multiply_add(
        &mut self,
        ty: ElementType,
        a: Value<'c>,
        b: Value<'c>,
        total: Value<'c>,
    ) -> Value<'c> {
        if ty.is_half() {
            let result = self.e.fma(a, b, total);
            return self.round_half(ty, result);
        }
        if ty.is_float() {
            return self.e.fma(a, b, total);
        }
        let product = self.e.muli(a, b);
        self.e.addi(total, product)
    }

    /// `combine(a, b)`.
    pub(super) fn combine(
        &mut self,
        function: CombineFn,
        ty: ElementType,
        a: Value<'c>,
        b: Value<'c>,
    ) -> Value<'c> {
        let function = match function {
            CombineFn::Add => BinaryFn::Add,
            CombineFn::Mul => BinaryFn::Mul,
            CombineFn::Max => BinaryFn::Max,
            CombineFn::Min => BinaryFn::Min,
        };
        self.binary(function, ty, a, b)
    }

    /// The value that a combiner leaves others unchanged by.
    pub(super) fn identity(function: CombineFn, ty: ElementType) -> f64 {
        let least = match ty {
            ElementType::I64 => i64::MIN as f64,
            ElementType::I32 => f64::from(i32::MIN),
            ElementType::I8 => f64::from(i8::MIN),
            ElementType::U8 | ElementType::Bool => 0.0,
            _ => f64::NEG_INFINITY,
        };
        let greatest = match ty {
            ElementType::I64 => i64::MAX as f64,
            ElementType::I32 => f64::from(i32::MAX),
            ElementType::I8 => f64::from(i8::MAX),
            ElementType::U8 => f64::from(u8::MAX),
            ElementType::Bool => 1.0,
            _ => f64::INFINITY,
        };
        match function {
            CombineFn::Add => 0.0,
            CombineFn::Mul => 1.0,
            CombineFn::Max => least,
            CombineFn::Min => greatest,
        }
    }
}
