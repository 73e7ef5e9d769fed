  function solved "A x = r by elimination with pivots; what a row that says nothing new leaves open is zero"
    input Real A[:, :], r[size(A, 1)];
    output Real x[size(A, 1)];
  protected
    Real B[size(A, 1), size(A, 1)], c[size(A, 1)], f, least;
    Integer p;
  algorithm
    B := A;
    c := r;
    least := 0.0;
    for i in 1:size(A, 1) loop
      for j in 1:size(A, 1) loop
        least := max(least, 1e-13*abs(A[i, j]));
      end for;
    end for;
    for k in 1:size(A, 1) loop
      p := k;
      for i in 1:size(A, 1) loop
        if i > k and abs(B[i, k]) > abs(B[p, k]) then
          p := i;
        end if;
      end for;
      for j in 1:size(A, 1) loop
        f := B[k, j];
        B[k, j] := B[p, j];
        B[p, j] := f;
      end for;
      f := c[k];
      c[k] := c[p];
      c[p] := f;
      for i in 1:size(A, 1) loop
        f := if i == k or abs(B[k, k]) <= least then 0.0 else B[i, k]/B[k, k];
        c[i] := c[i] - f*c[k];
        for j in 1:size(A, 1) loop
          B[i, j] := B[i, j] - f*B[k, j];
        end for;
      end for;
    end for;
    for k in 1:size(A, 1) loop
      x[k] := if abs(B[k, k]) <= least then 0.0 else c[k]/B[k, k];
    end for;
  end solved;

  function impulses "Velocities x, then impulses, of M (x - v) = transpose(W)*(impulses + more), J x = u for rows that act"
    input Real M[:, :], J[:, size(M, 1)], W[size(J, 1), size(M, 1)], v[size(M, 1)];
    input Real u[size(J, 1)], more[size(J, 1)];
    input Boolean acts[size(J, 1)];
    output Real x[size(M, 1) + size(J, 1)];
  protected
    Real A[size(M, 1) + size(J, 1), size(M, 1) + size(J, 1)], r[size(M, 1) + size(J, 1)];
  algorithm
    for i in 1:size(M, 1) loop
      r[i] := 0.0;
      for j in 1:size(M, 1) loop
        A[i, j] := M[i, j];
        r[i] := r[i] + M[i, j]*v[j];
      end for;
      for k in 1:size(J, 1) loop
        A[i, size(M, 1) + k] := -W[k, i];
        r[i] := r[i] + W[k, i]*more[k];
      end for;
    end for;
    for k in 1:size(J, 1) loop
      r[size(M, 1) + k] := if acts[k] then u[k] else 0.0;
      for j in 1:size(M, 1) loop
        A[size(M, 1) + k, j] := if acts[k] then J[k, j] else 0.0;
      end for;
      for l in 1:size(J, 1) loop
        A[size(M, 1) + k, size(M, 1) + l] := if k == l and not acts[k] then 1.0 else 0.0;
      end for;
    end for;
    x := solved(A, r);
  end impulses;

  function struck "Velocities after impulses: rows that are kept are met, J x = b, those that are hit rebound with e"
    input Real M[:, :], J[:, size(M, 1)], W[size(J, 1), size(M, 1)], b[size(J, 1)], v[size(M, 1)];
    input Boolean kept[size(J, 1)], hit[size(J, 1)];
    input Real e[size(J, 1)];
    input Boolean poisson "of the impulses that stop, a part e acts again; Newton compares velocities";
    output Real x[size(M, 1)];
  protected
    Real first[size(M, 1) + size(J, 1)], second[size(M, 1) + size(J, 1)];
    Real u[size(J, 1)], more[size(J, 1)];
    Boolean acts[size(J, 1)];
  algorithm
    for k in 1:size(J, 1) loop
      u[k] := if hit[k] and not poisson then (1 + e[k])*b[k] else b[k];
      more[k] := 0.0;
      acts[k] := kept[k] or hit[k];
      for j in 1:size(M, 1) loop
        u[k] := u[k] - (if hit[k] and not poisson then e[k]*J[k, j]*v[j] else 0.0);
      end for;
    end for;
    first := impulses(M, J, W, v, u, more, acts);
    for i in 1:size(M, 1) loop
      x[i] := first[i];
    end for;
    for k in 1:size(J, 1) loop
      u[k] := 0.0;
      more[k] := if hit[k] and poisson then e[k]*first[size(M, 1) + k] else 0.0;
      for j in 1:size(M, 1) loop
        u[k] := u[k] + J[k, j]*first[j];
      end for;
    end for;
    second := impulses(M, J, W, x, u, more, kept);
    for i in 1:size(M, 1) loop
      x[i] := second[i];
    end for;
  end struck;

  function rebound "The fastest of what was hit"
    input Real J[:, :], b[size(J, 1)], x[size(J, 2)];
    input Boolean hit[size(J, 1)];
    output Real speed;
  protected
    Real u;
  algorithm
    speed := 0.0;
    for k in 1:size(J, 1) loop
      u := -b[k];
      for j in 1:size(J, 2) loop
        u := u + J[k, j]*x[j];
      end for;
      speed := if hit[k] then max(speed, abs(u)) else speed;
    end for;
  end rebound;
