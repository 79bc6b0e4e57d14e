def Graph_@camel@Op : Graph_Unary<"@snake@", "@words@", "x">;

