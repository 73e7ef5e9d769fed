  function cell "The cell of a table that holds a value; the end cells reach beyond"
    input Real points[:], value;
    output Integer i;
  algorithm
    i := 1;
    for k in 2:size(points, 1) - 1 loop
      if value >= points[k] then
        i := k;
      end if;
    end for;
  end cell;

  function fraction "How far in its cell a value is, from 0 to 1"
    input Real points[:], value;
    output Real part;
  protected
    Integer i;
  algorithm
    i := cell(points, value);
    part := min(max((value - points[i])/(points[i + 1] - points[i]), 0.0), 1.0);
  end fraction;

  function slope "What the part of a cell grows by: nothing beyond the ends"
    input Real points[:], value;
    output Real rise;
  protected
    Integer i;
  algorithm
    i := cell(points, value);
    rise := if value < points[1] or value >= points[size(points, 1)] then 0.0 else 1/(points[i + 1] - points[i]);
  end slope;

  function lookup "Linear interpolation"
    input Real points[:], values[:], x;
    output Real y;
  protected
    Integer i;
  algorithm
    i := cell(points, x);
    y := values[i] + (values[i + 1] - values[i])*fraction(points, x);
  end lookup;

  function lookup_dx "Its slope, that on the right at a point of the table"
    input Real points[:], values[:], x;
    output Real y;
  protected
    Integer i;
  algorithm
    i := cell(points, x);
    y := (values[i + 1] - values[i])*slope(points, x);
  end lookup_dx;

  function lookup_2 "Bilinear interpolation; its slopes where parts of cells are replaced by theirs"
    input Real xs[:], ys[:], values[:, :], x, y;
    input Boolean dx = false, dy = false;
    output Real z;
  protected
    Integer i, j;
    Real a, b, first, second;
  algorithm
    i := cell(xs, x);
    j := cell(ys, y);
    b := if dy then slope(ys, y) else fraction(ys, y);
    first := (values[i, j + 1] - values[i, j])*b + (if dy then 0.0 else values[i, j]);
    second := (values[i + 1, j + 1] - values[i + 1, j])*b + (if dy then 0.0 else values[i + 1, j]);
    a := if dx then slope(xs, x) else fraction(xs, x);
    z := (second - first)*a + (if dx then 0.0 else first);
  end lookup_2;
