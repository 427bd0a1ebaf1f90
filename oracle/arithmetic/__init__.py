"""Operations in the arithmetics that honest drivers have, beside their exact meaning."""
