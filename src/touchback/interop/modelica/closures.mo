  partial model Closure "Ties two bodies that joints carry already"
    extends Constraint;
    parameter Real alpha(unit = "1/s") "how fast what has drifted comes back";
    input KinematicPort B;
    output WrenchPort W_B;
    Real S_A[3, 3], S_B[3, 3], l_A[3], l_B[3];
    Real d[3], d_v[3], d_a[3] "from the frame on A to that on B, and its rates";
  equation
    S_A = A.T*R_A;
    S_B = B.T*R_B;
    l_A = A.T*p_A;
    l_B = B.T*p_B;
    P = B.r + l_B;
    d = P - A.r - l_A;
    d_v = B.v + cross(B.w, l_B) - A.v - cross(A.w, l_A);
    d_a = B.a + cross(B.e, l_B) + cross(B.w, cross(B.w, l_B)) - A.a - cross(A.e, l_A) - cross(A.w, cross(A.w, l_A));
    W_B.P = P;
    W_B.F = F_B;
    W_B.M = M_B;
  end Closure;

  partial model Row "h = 0, kept by its second rate"
    parameter Real alpha(unit = "1/s");
    input Boolean acts = true "nothing keeps it otherwise";
    output Real lambda "what keeps it";
    Real h, h_v, h_a "what is kept at zero, and its rates";
  equation
    0 = if acts then h_a + 2*alpha*h_v + alpha*alpha*h else lambda;
  end Row;

  model Along "Nothing between two points along s, which turns with a body"
    extends Row;
    input Real s[3], w[3], e[3], d[3], d_v[3], d_a[3];
    Real s_v[3];
  equation
    s_v = cross(w, s);
    h = s*d;
    h_v = s*d_v + s_v*d;
    h_a = s*d_a + 2*(s_v*d_v) + (cross(e, s) + cross(w, s_v))*d;
  end Along;

  model Square "A direction s of A is square to a direction t of B"
    extends Row;
    input Real s[3], t[3], w_A[3], w_B[3], e_A[3], e_B[3];
    Real s_v[3], t_v[3];
  equation
    s_v = cross(w_A, s);
    t_v = cross(w_B, t);
    h = s*t;
    h_v = s_v*t + s*t_v;
    h_a = (cross(e_A, s) + cross(w_A, s_v))*t + 2*(s_v*t_v) + s*(cross(e_B, t) + cross(w_B, t_v));
  end Square;

  model Apart "Two points stay a length apart"
    extends Row;
    input Real length(unit = "m"), d[3], d_v[3], d_a[3];
  equation
    h = (d*d/length - length)/2;
    h_v = d*d_v/length;
    h_a = (d*d_a + d_v*d_v)/length;
  end Apart;

  model Still "No velocity along s, which turns with B, against A"
    parameter Real alpha(unit = "1/s");
    input Boolean acts = true "nothing keeps it otherwise";
    input Real s[3], w_A[3], w_B[3], e_A[3], d[3], d_v[3], d_a[3];
    output Real lambda "what keeps it";
    Real c[3];
  equation
    c = d_v - cross(w_A, d);
    0 = if acts then s*(d_a - cross(e_A, d) - cross(w_A, d_v)) + cross(w_B, s)*c + alpha*(s*c) else lambda;
  end Still;

  model Rim "The lowest point of a disc: Kept and KeptRate hold it to the plane"
    parameter Real radius(unit = "m");
    input Real n[3], t[3] "the plane's normal, which turns with A; the disc's axis, with B";
    input Real w_A[3], w_B[3], e_A[3], e_B[3], d[3], d_v[3], d_a[3];
    Real c[3], c_v[3] "from the centre to the point, and its rate";
    Real height, slip[3], slip_a[3] "over the plane; velocity against it, and its rate";
    Real k, x, x_v, up[3], n_v[3], t_v[3];
  equation
    x = n*t;
    k = sqrt(1 - x*x);
    n_v = cross(w_A, n);
    t_v = cross(w_B, t);
    x_v = n_v*t + n*t_v;
    up = (n - x*t)/k;
    c = -radius*up;
    c_v = -radius*(n_v - x_v*t - x*t_v + (x*x_v/k)*up)/k;
    height = n*d - radius*k;
    slip = d_v + cross(w_B, c) - cross(w_A, d + c);
    slip_a = d_a + cross(e_B, c) + cross(w_B, c_v) - cross(e_A, d + c) - cross(w_A, d_v + c_v);
  end Rim;

  model Kept "A relation of coordinates"
    extends Row;
    input Real x, x_v, x_a;
  equation
    h = x;
    h_v = x_v;
    h_a = x_a;
  end Kept;

  model KeptRate "A relation of velocities"
    parameter Real alpha(unit = "1/s");
    input Boolean acts = true "nothing keeps it otherwise";
    input Real x_v, x_a;
    output Real lambda "what keeps it";
  equation
    0 = if acts then x_a + alpha*x_v else lambda;
  end KeptRate;
