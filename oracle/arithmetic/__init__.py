"""Operations in the arithmetics of honest drivers, such as float16 accumulators: models of drivers, to test bounds."""
