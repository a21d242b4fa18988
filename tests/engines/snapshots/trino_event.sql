-- fetched
SELECT CASE WHEN ((MAX(CASE WHEN IS_NAN(c1) THEN 1 ELSE 0 END) = 1 AND MAX(CASE WHEN c1 IS NULL THEN 1 ELSE 0 END) = 1) OR (MAX(CASE WHEN CASE WHEN c1 = 0 THEN CAST(c1 AS VARCHAR) ELSE '' END LIKE '-%' THEN 1 ELSE 0 END) = 1 AND MAX(CASE WHEN c1 = 0 AND NOT (CASE WHEN c1 = 0 THEN CAST(c1 AS VARCHAR) ELSE '' END LIKE '-%') THEN 1 ELSE 0 END) = 1)) THEN 1 ELSE 0 END AS a0, CASE WHEN ((MAX(CASE WHEN c2 = '' THEN 1 ELSE 0 END) = 1 AND MAX(CASE WHEN c2 IS NULL THEN 1 ELSE 0 END) = 1)) THEN 1 ELSE 0 END AS a1, CASE WHEN ((MAX(CASE WHEN IS_NAN(c3) THEN 1 ELSE 0 END) = 1 AND MAX(CASE WHEN c3 IS NULL THEN 1 ELSE 0 END) = 1) OR (MAX(CASE WHEN CASE WHEN c3 = 0 THEN CAST(c3 AS VARCHAR) ELSE '' END LIKE '-%' THEN 1 ELSE 0 END) = 1 AND MAX(CASE WHEN c3 = 0 AND NOT (CASE WHEN c3 = 0 THEN CAST(c3 AS VARCHAR) ELSE '' END LIKE '-%') THEN 1 ELSE 0 END) = 1)) THEN 1 ELSE 0 END AS a2, CASE WHEN ((MAX(CASE WHEN c4 = '' THEN 1 ELSE 0 END) = 1 AND MAX(CASE WHEN c4 IS NULL THEN 1 ELSE 0 END) = 1)) THEN 1 ELSE 0 END AS a3 FROM arrow_source AS t;

-- source
SELECT CAST(c0 AS VARCHAR) AS c0, CASE WHEN IS_NAN(c1) THEN NULL ELSE CASE WHEN ABS(c1) < CAST(1000000000000000 AS DOUBLE) THEN CASE WHEN c1 = CAST(CAST(c1 AS BIGINT) AS DOUBLE) THEN CAST(CAST(c1 AS BIGINT) AS VARCHAR) ELSE CAST(c1 AS VARCHAR) END ELSE CAST(c1 AS VARCHAR) END END AS c1, c2 AS s0, CASE WHEN IS_NAN(c3) THEN NULL ELSE CASE WHEN ABS(c3) < CAST(1000000000000000 AS DOUBLE) THEN CASE WHEN c3 = CAST(CAST(c3 AS BIGINT) AS DOUBLE) THEN CAST(CAST(c3 AS BIGINT) AS VARCHAR) ELSE CAST(c3 AS VARCHAR) END ELSE CAST(c3 AS VARCHAR) END END AS s1, c4 AS u FROM (SELECT c0, CASE WHEN IS_NAN(c1) THEN NULL WHEN c1 = 0 THEN CAST(0 AS DOUBLE) ELSE c1 END AS c1, NULLIF(c2, '') AS c2, CASE WHEN IS_NAN(c3) THEN NULL WHEN c3 = 0 THEN CAST(0 AS DOUBLE) ELSE c3 END AS c3, NULLIF(c4, '') AS c4 FROM arrow_source AS t) AS t;

-- value_code
SELECT attribute, v, ROW_NUMBER() OVER (PARTITION BY attribute ORDER BY v) AS code FROM (SELECT 0 AS attribute, v FROM (SELECT DISTINCT c0 AS v FROM source WHERE NOT c0 IS NULL) AS d0 UNION ALL SELECT 1 AS attribute, v FROM (SELECT DISTINCT c1 AS v FROM source WHERE NOT c1 IS NULL) AS d1 UNION ALL SELECT 2 AS attribute, v FROM (SELECT DISTINCT s0 AS v FROM source WHERE NOT s0 IS NULL) AS d2 UNION ALL SELECT 3 AS attribute, v FROM (SELECT DISTINCT s1 AS v FROM source WHERE NOT s1 IS NULL) AS d3) AS d;

-- person_code
SELECT v, ROW_NUMBER() OVER (ORDER BY v) AS code FROM (SELECT DISTINCT u AS v FROM source WHERE NOT u IS NULL) AS d;

-- dictionary
SELECT attribute, v, code FROM value_code UNION ALL SELECT CAST(4 AS INTEGER) AS attribute, v, code FROM person_code;

-- fetched
SELECT attribute, COUNT(*) AS n FROM dictionary GROUP BY attribute;

-- radix
SELECT CAST(0 AS BIGINT) AS attribute, CAST(0 AS BIGINT) AS word, CAST(1 AS BIGINT) AS lo, CAST(4 AS BIGINT) AS hi UNION ALL SELECT CAST(1 AS BIGINT) AS attribute, CAST(0 AS BIGINT) AS word, CAST(4 AS BIGINT) AS lo, CAST(20 AS BIGINT) AS hi;

-- weight
SELECT d.attribute, d.v, d.code * COALESCE(r.lo, 1) AS w FROM dictionary AS d LEFT JOIN radix AS r ON d.attribute = r.attribute;

-- record
SELECT w0, t0, t1, u, COUNT(*) AS n FROM (SELECT COALESCE(d0.w, 0) + COALESCE(d1.w, 0) AS w0, COALESCE(d2.w, 0) AS t0, COALESCE(d3.w, 0) AS t1, COALESCE(d4.w, 0) AS u FROM source AS b LEFT JOIN weight AS d0 ON d0.attribute = 0 AND d0.v = b.c0 LEFT JOIN weight AS d1 ON d1.attribute = 1 AND d1.v = b.c1 LEFT JOIN weight AS d2 ON d2.attribute = 2 AND d2.v = b.s0 LEFT JOIN weight AS d3 ON d3.attribute = 3 AND d3.v = b.s1 LEFT JOIN weight AS d4 ON d4.attribute = 4 AND d4.v = b.u) AS x GROUP BY w0, t0, t1, u;

-- scenario_radix
SELECT CAST(0 AS BIGINT) AS attribute, CAST(0 AS BIGINT) AS word, CAST(1 AS BIGINT) AS lo, CAST(4 AS BIGINT) AS hi UNION ALL SELECT CAST(1 AS BIGINT) AS attribute, CAST(0 AS BIGINT) AS word, CAST(4 AS BIGINT) AS lo, CAST(20 AS BIGINT) AS hi;

-- scenario_record
SELECT w0 AS q, t0, t1, u, n FROM record;

-- pair
SELECT q, u, CAST(SUM(n) AS BIGINT) AS n FROM scenario_record GROUP BY q, u;

-- class
SELECT q, CAST(SUM(n) AS BIGINT) AS n, COUNT(*) AS persons FROM pair GROUP BY q;

-- kind_pair
SELECT p.q, p.u, p.n, k.n AS class_n, k.persons, CAST(1 AS BIGINT) AS m FROM pair AS p JOIN class AS k ON p.q = k.q WHERE k.persons > 1 UNION ALL SELECT MIN(q) AS q, CAST(-1 AS BIGINT) AS u, n, n AS class_n, CAST(1 AS BIGINT) AS persons, COUNT(*) AS m FROM class WHERE persons = 1 GROUP BY n;

-- class_size
SELECT n, COUNT(*) AS m FROM class GROUP BY n;

-- total
SELECT CAST(SUM(n * m) AS BIGINT) AS n, CAST(SUM(m) AS BIGINT) AS classes FROM class_size;

-- fetched
SELECT n FROM total;

-- fetched
SELECT COUNT(*), MAX(x.n), CAST(CAST(SUM(x.n * LN(w.n / CAST(x.n AS DOUBLE))) AS DOUBLE) / MIN(w.n) AS DOUBLE) / LN(2) FROM (SELECT u, CAST(SUM(n) AS BIGINT) AS n FROM pair GROUP BY u) AS x CROSS JOIN total AS w;

-- profile_sketch
SELECT u, COUNT(*) AS classes, CAST(SUM(n) AS BIGINT) AS records, MIN(q) AS lowest, MAX(q) AS highest, CAST(SUM((q % 1000003) * n) AS BIGINT) AS mixed FROM pair GROUP BY u;

-- fetched
SELECT e.people, s.written, s.alone, s.below FROM (SELECT COUNT(*) AS people FROM profile_sketch) AS e CROSS JOIN (SELECT COALESCE(SUM(people), 0) AS written, COALESCE(SUM(CASE WHEN people = 1 THEN 1 ELSE 0 END), 0) AS alone, COALESCE(SUM(CASE WHEN people < 11 THEN people ELSE 0 END), 0) AS below FROM (SELECT p, COUNT(*) AS people FROM (SELECT u, LISTAGG(x, ',') WITHIN GROUP (ORDER BY x) AS p FROM (SELECT p.u, CONCAT(CAST(p.q AS VARCHAR), CAST(':' AS VARCHAR), CAST(p.n AS VARCHAR)) AS x FROM pair AS p JOIN (SELECT k.u FROM profile_sketch AS k JOIN (SELECT classes, records, lowest, highest, mixed FROM (SELECT classes, records, lowest, highest, mixed, COUNT(*) AS people FROM profile_sketch GROUP BY classes, records, lowest, highest, mixed) AS x WHERE people > 1) AS s ON k.classes = s.classes AND k.records = s.records AND k.lowest = s.lowest AND k.highest = s.highest AND k.mixed = s.mixed) AS d ON p.u = d.u) AS cells GROUP BY u) AS profiles GROUP BY p) AS shared) AS s;

-- triple
SELECT q, t0 AS t, u, CAST(SUM(n) AS BIGINT) AS n FROM scenario_record GROUP BY q, t0, u;

-- cell
SELECT q, t, CAST(SUM(n) AS BIGINT) AS n FROM triple GROUP BY q, t;

-- person_value
SELECT t, u, CAST(SUM(n) AS BIGINT) AS n FROM triple GROUP BY t, u;

-- value
SELECT t, CAST(SUM(n) AS BIGINT) AS n FROM cell GROUP BY t;

-- class_kind
SELECT q, CAST(SUM(n) AS BIGINT) AS n, COUNT(*) AS kinds, MIN(t) AS t FROM cell GROUP BY q;

-- kind_cell
SELECT c.q, c.t, c.n, k.n AS class_n, k.kinds, CAST(1 AS BIGINT) AS m FROM cell AS c JOIN class_kind AS k ON c.q = k.q WHERE k.kinds > 1 UNION ALL SELECT MIN(q) AS q, t, n, n AS class_n, CAST(1 AS BIGINT) AS kinds, COUNT(*) AS m FROM class_kind WHERE kinds = 1 GROUP BY t, n;

-- attribute_cell
SELECT 0 AS attribute, a, t, CAST(SUM(n) AS BIGINT) AS n FROM (SELECT (q % 4) - (q % 1) AS a, t, n FROM cell) AS x0 GROUP BY a, t UNION ALL SELECT 1 AS attribute, a, t, CAST(SUM(n) AS BIGINT) AS n FROM (SELECT (q % 20) - (q % 4) AS a, t, n FROM cell) AS x1 GROUP BY a, t;

-- attribute_class
SELECT attribute, a, CAST(SUM(n) AS BIGINT) AS n FROM attribute_cell GROUP BY attribute, a;

-- couple_class
SELECT attribute, other, a, b, CAST(SUM(n) AS BIGINT) AS n FROM (SELECT attribute, other, (w % hi) - (w % lo) AS a, (v % other_hi) - (v % other_lo) AS b, n FROM (SELECT r.attribute, r.lo, r.hi, s.attribute AS other, s.lo AS other_lo, s.hi AS other_hi, c.q AS w, c.q AS v, c.n FROM class AS c CROSS JOIN scenario_radix AS r JOIN scenario_radix AS s ON r.attribute < s.attribute) AS y) AS x GROUP BY attribute, other, a, b;

-- couple_person
SELECT attribute, other, a, b, u, CAST(SUM(n) AS BIGINT) AS n FROM (SELECT attribute, other, (w % hi) - (w % lo) AS a, (v % other_hi) - (v % other_lo) AS b, u, n FROM (SELECT r.attribute, r.lo, r.hi, s.attribute AS other, s.lo AS other_lo, s.hi AS other_hi, c.q AS w, c.q AS v, c.u, c.n FROM pair AS c CROSS JOIN scenario_radix AS r JOIN scenario_radix AS s ON r.attribute < s.attribute) AS y) AS x GROUP BY attribute, other, a, b, u;

-- fetched
SELECT COUNT(*), MAX(x.n), CAST(CAST(SUM(x.n * LN(w.n / CAST(x.n AS DOUBLE))) AS DOUBLE) / MIN(w.n) AS DOUBLE) / LN(2) FROM value AS x CROSS JOIN total AS w;

-- fetched
SELECT COALESCE(SUM(CASE WHEN REGEXP_LIKE(v, '^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$') AND NOT REGEXP_LIKE(v, '^\s*[+-]?0[0-9]') THEN 1 ELSE 0 END), 0), COUNT(*) FROM dictionary WHERE attribute = 2;

-- fetched
SELECT COALESCE(SUM(n), 0) FROM value WHERE t = 0;

-- couple_cell
SELECT attribute, other, a, b, t, CAST(SUM(n) AS BIGINT) AS n FROM (SELECT attribute, other, (w % hi) - (w % lo) AS a, (v % other_hi) - (v % other_lo) AS b, t, n FROM (SELECT r.attribute, r.lo, r.hi, s.attribute AS other, s.lo AS other_lo, s.hi AS other_hi, c.q AS w, c.q AS v, c.t, c.n FROM cell AS c CROSS JOIN scenario_radix AS r JOIN scenario_radix AS s ON r.attribute < s.attribute) AS y) AS x GROUP BY attribute, other, a, b, t;

-- fetched
SELECT CAST(SUM(m) AS BIGINT), CAST(SUM(m * class_n * h) AS DOUBLE) / MIN(total_n), CAST(MIN(class_n * h) AS DOUBLE) / MIN(total_n), MIN(h), MAX(top), MIN(s0), MAX(u0), MAX(s1), MAX(u1), MAX(s2), MAX(u2), MAX(s3), MAX(u3), MAX(s4), MAX(u4), MAX(s5), MAX(u5), MAX(s6), MAX(u6), MAX(s7), MAX(u7), MIN(low0), CAST(SUM(m * sum0) AS DOUBLE) / SUM(m * n), MAX(high0) FROM (SELECT q, MIN(m) AS m, MIN(class_n) AS n, MIN(class_n) AS class_n, MIN(total_n) AS total_n, CAST(SUM(cell_n * LN(class_n / CAST(cell_n AS DOUBLE))) AS DOUBLE) / MIN(class_n) AS h, MAX(cell_n / CAST(class_n AS DOUBLE)) AS top, COUNT(*) AS s0, 0 AS u0, SUM(CASE WHEN cell_n / CAST(class_n AS DOUBLE) > value_n / CAST(total_n AS DOUBLE) THEN cell_n / CAST(class_n AS DOUBLE) - value_n / CAST(total_n AS DOUBLE) ELSE 0 END) AS s1, 0 AS u1, MAX(cell_n / CAST(class_n AS DOUBLE)) AS s2, 0 AS u2, CASE WHEN COUNT(*) > 1 THEN MAX(cell_n) / CAST(MAX(class_n) - MAX(cell_n) AS DOUBLE) END AS s3, CASE WHEN COUNT(*) = 1 THEN 1 ELSE 0 END AS u3, MAX(CAST((cell_n / CAST(class_n AS DOUBLE) - value_n / CAST(total_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE))) AS s4, 0 AS u4, MAX(CAST((cell_n / CAST(class_n AS DOUBLE) - value_n / CAST(total_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE))) AS s5, MAX(CASE WHEN CAST((cell_n / CAST(class_n AS DOUBLE) - value_n / CAST(total_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE)) > surprise THEN 1 ELSE 0 END) AS u5, CAST(CASE WHEN MAX(CAST((cell_n / CAST(class_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE))) * MIN(CAST((cell_n / CAST(class_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE))) < 1 THEN -LN(MIN(CAST((cell_n / CAST(class_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE)))) ELSE LN(MAX(CAST((cell_n / CAST(class_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE)))) END AS DOUBLE) / LN(2) AS s6, 0 AS u6, CAST(CASE WHEN MAX(CAST((cell_n / CAST(class_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE))) * MIN(CAST((cell_n / CAST(class_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE))) < 1 THEN -LN(MIN(CAST((cell_n / CAST(class_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE)))) ELSE LN(MAX(CAST((cell_n / CAST(class_n AS DOUBLE)) AS DOUBLE) / (value_n / CAST(total_n AS DOUBLE)))) END AS DOUBLE) / LN(2) AS s7, CASE WHEN COUNT(*) < MAX(values_n) THEN 1 ELSE 0 END AS u7, MIN(cell_n / CAST(class_n AS DOUBLE)) AS low0, SUM(n * (cell_n / CAST(class_n AS DOUBLE))) AS sum0, MAX(cell_n / CAST(class_n AS DOUBLE)) AS high0 FROM (SELECT c.q, c.m, c.n, c.class_n, 1 AS pair_n, c.n AS cell_n, v.n AS value_n, v.surprise, y.values_n, 1 AS person_value_n, w.n AS total_n FROM kind_cell AS c JOIN (SELECT x.t, x.n, LN(y.n / CAST(x.n AS DOUBLE)) AS surprise FROM value AS x CROSS JOIN total AS y) AS v ON c.t = v.t CROSS JOIN (SELECT COUNT(*) AS values_n FROM value) AS y CROSS JOIN total AS w) AS x GROUP BY q) AS y;

-- fetched
SELECT MIN(1 - (class_n / CAST(total_n AS DOUBLE)) * (1 - pair_n / CAST(class_n AS DOUBLE)) * (1 - cell_n / CAST(class_n AS DOUBLE)) * (1 - person_value_n / CAST(value_n AS DOUBLE))), CAST(SUM(n * (1 - (class_n / CAST(total_n AS DOUBLE)) * (1 - pair_n / CAST(class_n AS DOUBLE)) * (1 - cell_n / CAST(class_n AS DOUBLE)) * (1 - person_value_n / CAST(value_n AS DOUBLE)))) AS DOUBLE) / SUM(n), MAX(1 - (class_n / CAST(total_n AS DOUBLE)) * (1 - pair_n / CAST(class_n AS DOUBLE)) * (1 - cell_n / CAST(class_n AS DOUBLE)) * (1 - person_value_n / CAST(value_n AS DOUBLE))) FROM (SELECT x.n, k.n AS class_n, COALESCE(p.n, k.n) AS pair_n, COALESCE(c.n, k.n) AS cell_n, v.n AS value_n, y.n AS person_value_n, w.n AS total_n FROM triple AS x JOIN class AS k ON x.q = k.q LEFT JOIN (SELECT q, t, n FROM kind_cell WHERE kinds > 1) AS c ON x.q = c.q AND x.t = c.t LEFT JOIN (SELECT q, u, n FROM kind_pair WHERE persons > 1) AS p ON x.q = p.q AND x.u = p.u JOIN value AS v ON x.t = v.t JOIN person_value AS y ON x.t = y.t AND x.u = y.u CROSS JOIN total AS w) AS x;

-- fetched
SELECT attribute, CAST(SUM(m) AS BIGINT), CAST(SUM(m * class_n * h) AS DOUBLE) / MIN(total_n), CAST(MIN(class_n * h) AS DOUBLE) / MIN(total_n), MIN(h), MAX(top) FROM (SELECT x.attribute, x.a, 1 AS m, MIN(k.n) AS class_n, MIN(w.n) AS total_n, CAST(SUM(x.n * LN(k.n / CAST(x.n AS DOUBLE))) AS DOUBLE) / MIN(k.n) AS h, MAX(x.n / CAST(k.n AS DOUBLE)) AS top FROM attribute_cell AS x JOIN attribute_class AS k ON x.attribute = k.attribute AND x.a = k.a CROSS JOIN total AS w GROUP BY x.attribute, x.a) AS y GROUP BY attribute;

-- fetched
SELECT attribute, other, CAST(SUM(m) AS BIGINT), CAST(SUM(m * class_n * h) AS DOUBLE) / MIN(total_n), CAST(MIN(class_n * h) AS DOUBLE) / MIN(total_n), MIN(h), MAX(top) FROM (SELECT x.attribute, x.other, x.a, x.b, 1 AS m, MIN(k.n) AS class_n, MIN(w.n) AS total_n, CAST(SUM(x.n * LN(k.n / CAST(x.n AS DOUBLE))) AS DOUBLE) / MIN(k.n) AS h, MAX(x.n / CAST(k.n AS DOUBLE)) AS top FROM couple_cell AS x JOIN couple_class AS k ON x.attribute = k.attribute AND x.other = k.other AND x.a = k.a AND x.b = k.b CROSS JOIN total AS w GROUP BY x.attribute, x.other, x.a, x.b) AS y GROUP BY attribute, other;

-- fetched
SELECT attribute, MIN(cell_n / CAST(class_n AS DOUBLE)), CAST(SUM(n * (cell_n / CAST(class_n AS DOUBLE))) AS DOUBLE) / SUM(n), MAX(cell_n / CAST(class_n AS DOUBLE)) FROM (SELECT c.attribute, c.n, k.n AS class_n, c.n AS cell_n, w.n AS total_n FROM attribute_cell AS c JOIN attribute_class AS k ON c.attribute = k.attribute AND c.a = k.a CROSS JOIN total AS w) AS x GROUP BY attribute;

-- triple
SELECT q, t1 AS t, u, CAST(SUM(n) AS BIGINT) AS n FROM scenario_record GROUP BY q, t1, u;

-- fetched
SELECT COALESCE(SUM(CASE WHEN REGEXP_LIKE(v, '^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$') AND NOT REGEXP_LIKE(v, '^\s*[+-]?0[0-9]') THEN 1 ELSE 0 END), 0), COUNT(*) FROM dictionary WHERE attribute = 3;

-- ordered
SELECT t, DENSE_RANK() OVER (ORDER BY present, place) - 1 AS i FROM (SELECT x.t, CASE WHEN d.v IS NULL THEN 0 ELSE 1 END AS present, CAST(TRIM(d.v) AS DOUBLE) AS place FROM value AS x LEFT JOIN dictionary AS d ON d.attribute = 3 AND d.code = x.t) AS y;

-- ladder
SELECT i, g, SUM(g) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - g AS s FROM (SELECT i, CAST(SUM(n) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS DOUBLE) / total_n AS g FROM (SELECT o.i, CAST(SUM(v.n) AS BIGINT) AS n, MIN(w.n) AS total_n FROM value AS v JOIN ordered AS o ON v.t = o.t CROSS JOIN total AS w GROUP BY o.i UNION ALL SELECT MAX(o.i) + 1 AS i, CAST(0 AS BIGINT) AS n, MIN(w.n) AS total_n FROM ordered AS o CROSS JOIN total AS w) AS marginal) AS cumulative;

-- gap
SELECT y.q, y.lo, COALESCE(y.next, x.steps) AS hi, CAST(y.up AS DOUBLE) / y.class_n AS p, CASE WHEN y.up = y.n THEN 1 ELSE 0 END AS begins FROM (SELECT q, i AS lo, n, class_n, LEAD(i) OVER (PARTITION BY q ORDER BY i) AS next, SUM(n) OVER (PARTITION BY q ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS up FROM (SELECT c.q, o.i, CAST(SUM(c.n) AS BIGINT) AS n, MIN(c.class_n) AS class_n FROM kind_cell AS c JOIN ordered AS o ON c.t = o.t GROUP BY c.q, o.i) AS point) AS y CROSS JOIN (SELECT MAX(i) AS steps FROM ladder) AS x;

-- ordered_distance
SELECT q, CASE WHEN steps < 2 OR SUM(area) < 0 THEN 0 ELSE CAST(SUM(area) AS DOUBLE) / (steps - 1) END AS emd FROM (SELECT z.q, x.steps, z.begins * a.s + z.p * (z.mid - z.lo) - (m.s - a.s) + (b.s - m.s) - z.p * (z.hi - z.mid) AS area FROM (SELECT d.q, d.lo, d.hi, d.p, d.begins, CASE WHEN y.j + 1 < d.lo THEN d.lo WHEN y.j + 1 > d.hi THEN d.hi ELSE y.j + 1 END AS mid FROM gap AS d JOIN (SELECT p, kind, COALESCE(MAX(i) OVER (ORDER BY p, kind ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), -1) AS j FROM (SELECT DISTINCT p, 1 AS kind, -1 AS i FROM gap UNION ALL SELECT g AS p, 0 AS kind, i FROM ladder) AS u) AS y ON d.p = y.p WHERE y.kind = 1) AS z JOIN ladder AS a ON a.i = z.lo JOIN ladder AS b ON b.i = z.hi JOIN ladder AS m ON m.i = z.mid CROSS JOIN (SELECT MAX(i) AS steps FROM ladder) AS x) AS w GROUP BY q, steps;

-- fetched
SELECT MAX(emd) FROM ordered_distance;

-- attribute_pair
SELECT 0 AS attribute, a, u, CAST(SUM(n) AS BIGINT) AS n FROM (SELECT (q % 4) - (q % 1) AS a, u, n FROM pair) AS x0 GROUP BY a, u UNION ALL SELECT 1 AS attribute, a, u, CAST(SUM(n) AS BIGINT) AS n FROM (SELECT (q % 20) - (q % 4) AS a, u, n FROM pair) AS x1 GROUP BY a, u;

-- fetched
SELECT attribute, n FROM attribute_class WHERE a = 0;

-- fetched
SELECT COALESCE(SUM(n), 0) FROM pair WHERE u = 0;

-- fetched
SELECT attribute, CAST(SUM(m) AS BIGINT), CAST(SUM(m * class_n * h) AS DOUBLE) / MIN(total_n), CAST(MIN(class_n * h) AS DOUBLE) / MIN(total_n), MIN(h), MAX(top) FROM (SELECT x.attribute, x.a, 1 AS m, MIN(k.n) AS class_n, MIN(w.n) AS total_n, CAST(SUM(x.n * LN(k.n / CAST(x.n AS DOUBLE))) AS DOUBLE) / MIN(k.n) AS h, MAX(x.n / CAST(k.n AS DOUBLE)) AS top FROM attribute_pair AS x JOIN attribute_class AS k ON x.attribute = k.attribute AND x.a = k.a CROSS JOIN total AS w GROUP BY x.attribute, x.a) AS y GROUP BY attribute;

-- fetched
SELECT attribute, MIN(pair_n / CAST(class_n AS DOUBLE)), CAST(SUM(n * (pair_n / CAST(class_n AS DOUBLE))) AS DOUBLE) / SUM(n), MAX(pair_n / CAST(class_n AS DOUBLE)) FROM (SELECT p.attribute, p.n, k.n AS class_n, p.n AS pair_n, w.n AS total_n FROM attribute_pair AS p JOIN attribute_class AS k ON p.attribute = k.attribute AND p.a = k.a CROSS JOIN total AS w) AS x GROUP BY attribute;

-- fetched
SELECT MIN(class_n) FROM (SELECT n AS class_n FROM class_size) AS x;

-- fetched
SELECT MIN(persons) FROM class;

-- fetched
SELECT MIN(CASE WHEN total_n = 1 THEN CAST(1 AS DOUBLE) ELSE 1 - CAST(LN(CAST(class_n AS DOUBLE)) AS DOUBLE) / LN(CAST(total_n AS DOUBLE)) END), CAST(SUM(n * (CASE WHEN total_n = 1 THEN CAST(1 AS DOUBLE) ELSE 1 - CAST(LN(CAST(class_n AS DOUBLE)) AS DOUBLE) / LN(CAST(total_n AS DOUBLE)) END)) AS DOUBLE) / SUM(n), MAX(CASE WHEN total_n = 1 THEN CAST(1 AS DOUBLE) ELSE 1 - CAST(LN(CAST(class_n AS DOUBLE)) AS DOUBLE) / LN(CAST(total_n AS DOUBLE)) END) FROM (SELECT k.n * k.m AS n, k.n AS class_n, 1 AS pair_n, w.n AS total_n FROM class_size AS k CROSS JOIN total AS w) AS x;

-- fetched
SELECT MIN(pair_n / CAST(class_n AS DOUBLE)), CAST(SUM(n * (pair_n / CAST(class_n AS DOUBLE))) AS DOUBLE) / SUM(n), MAX(pair_n / CAST(class_n AS DOUBLE)) FROM (SELECT p.n * p.m AS n, p.class_n, p.n AS pair_n, w.n AS total_n FROM kind_pair AS p CROSS JOIN total AS w) AS x;

-- fetched
SELECT CAST(SUM(m) AS BIGINT), CAST(SUM(m * class_n * h) AS DOUBLE) / MIN(total_n), CAST(MIN(class_n * h) AS DOUBLE) / MIN(total_n), MIN(h), MAX(top) FROM (SELECT x.q, MIN(x.m) AS m, MIN(x.class_n) AS class_n, MIN(w.n) AS total_n, CAST(SUM(x.n * LN(x.class_n / CAST(x.n AS DOUBLE))) AS DOUBLE) / MIN(x.class_n) AS h, MAX(x.n / CAST(x.class_n AS DOUBLE)) AS top FROM kind_pair AS x CROSS JOIN total AS w GROUP BY x.q) AS y;

-- fetched
SELECT attribute, other, CAST(SUM(m) AS BIGINT), CAST(SUM(m * class_n * h) AS DOUBLE) / MIN(total_n), CAST(MIN(class_n * h) AS DOUBLE) / MIN(total_n), MIN(h), MAX(top) FROM (SELECT x.attribute, x.other, x.a, x.b, 1 AS m, MIN(k.n) AS class_n, MIN(w.n) AS total_n, CAST(SUM(x.n * LN(k.n / CAST(x.n AS DOUBLE))) AS DOUBLE) / MIN(k.n) AS h, MAX(x.n / CAST(k.n AS DOUBLE)) AS top FROM couple_person AS x JOIN couple_class AS k ON x.attribute = k.attribute AND x.other = k.other AND x.a = k.a AND x.b = k.b CROSS JOIN total AS w GROUP BY x.attribute, x.other, x.a, x.b) AS y GROUP BY attribute, other;

-- tuple_code
SELECT c.q, c.n, (c.q % 4) - (c.q % 1) AS a0, (c.q % 20) - (c.q % 4) AS a1, c.q AS w0 FROM class AS c;

-- chain_count
SELECT 0 AS step, a, b, CAST(SUM(n) AS BIGINT) AS n, LN(CAST(SUM(n) AS DOUBLE)) AS l FROM (SELECT x.a0 AS a, CAST(0 AS BIGINT) AS b, n FROM tuple_code AS x) AS y0 GROUP BY a, b UNION ALL SELECT 1 AS step, a, b, CAST(SUM(n) AS BIGINT) AS n, LN(CAST(SUM(n) AS DOUBLE)) AS l FROM (SELECT x.a0 + x.a1 AS a, CAST(0 AS BIGINT) AS b, n FROM tuple_code AS x) AS y1 GROUP BY a, b UNION ALL SELECT 2 AS step, a, b, CAST(SUM(n) AS BIGINT) AS n, LN(CAST(SUM(n) AS DOUBLE)) AS l FROM (SELECT x.a1 AS a, CAST(0 AS BIGINT) AS b, n FROM tuple_code AS x) AS y2 GROUP BY a, b;

-- chain_tuple
SELECT x.q, x.n, CASE WHEN x.n = d0.n OR x.n = d2.n THEN 1 ELSE 0 END AS alone, CASE WHEN x.n < d0.n THEN LN(1 - x.n / CAST(d0.n AS DOUBLE)) ELSE CAST(0 AS DOUBLE) END + CASE WHEN x.n < d2.n THEN LN(1 - x.n / CAST(d2.n AS DOUBLE)) ELSE CAST(0 AS DOUBLE) END AS escaped, 1 * d1.l AS l0, 1 * d1.l AS l1 FROM tuple_code AS x LEFT JOIN chain_count AS d0 ON d0.step = 0 AND d0.a = x.a0 AND d0.b = CAST(0 AS BIGINT) LEFT JOIN chain_count AS d1 ON d1.step = 1 AND d1.a = x.a0 + x.a1 AND d1.b = CAST(0 AS BIGINT) LEFT JOIN chain_count AS d2 ON d2.step = 2 AND d2.a = x.a1 AND d2.b = CAST(0 AS BIGINT);

-- chain_risk
SELECT n, CASE WHEN r0 > 1 THEN CAST(0 AS DOUBLE) ELSE 1 - r0 END AS r0, CASE WHEN r1 > 1 THEN CAST(0 AS DOUBLE) ELSE 1 - r1 END AS r1 FROM (SELECT c.n, CASE WHEN c.alone = 1 THEN CAST(0 AS DOUBLE) ELSE CAST(CASE WHEN c.escaped + c.l0 < -700 THEN CAST(0 AS DOUBLE) ELSE EXP(c.escaped + c.l0) END AS DOUBLE) / w.n END AS r0, CASE WHEN c.alone = 1 THEN CAST(0 AS DOUBLE) ELSE CAST(CASE WHEN c.escaped + c.l1 < -700 THEN CAST(0 AS DOUBLE) ELSE EXP(c.escaped + c.l1) END AS DOUBLE) / w.n END AS r1 FROM chain_tuple AS c CROSS JOIN total AS w) AS x;

-- fetched
SELECT MIN(m0), CAST(SUM(n * m0) AS DOUBLE) / SUM(n), MAX(m0), MIN(r0), CAST(SUM(n * r0) AS DOUBLE) / SUM(n), MAX(r0), MIN(r1), CAST(SUM(n * r1) AS DOUBLE) / SUM(n), MAX(r1) FROM (SELECT n, r0, r1, CASE WHEN r0 < r1 THEN r1 ELSE r0 END AS m0 FROM (SELECT n, r0, r1 FROM chain_risk) AS z1) AS y;

-- told
SELECT 0 AS sensitive, q, n, CASE WHEN told < 0 THEN CAST(0 AS DOUBLE) ELSE told END AS bits FROM (SELECT c.q, MIN(k.n) AS n, CAST(CAST(SUM(c.n * LN(CAST(CAST(c.n AS DOUBLE) * w.n AS DOUBLE) / (CAST(k.n AS DOUBLE) * v.n))) AS DOUBLE) / MIN(k.n) AS DOUBLE) / LN(2) AS told FROM (SELECT q, t0 AS t, CAST(SUM(n) AS BIGINT) AS n FROM scenario_record GROUP BY q, t0) AS c JOIN class AS k ON c.q = k.q JOIN (SELECT t0 AS t, CAST(SUM(n) AS BIGINT) AS n FROM scenario_record GROUP BY t0) AS v ON c.t = v.t CROSS JOIN total AS w GROUP BY c.q) AS y0 UNION ALL SELECT 1 AS sensitive, q, n, CASE WHEN told < 0 THEN CAST(0 AS DOUBLE) ELSE told END AS bits FROM (SELECT c.q, MIN(k.n) AS n, CAST(CAST(SUM(c.n * LN(CAST(CAST(c.n AS DOUBLE) * w.n AS DOUBLE) / (CAST(k.n AS DOUBLE) * v.n))) AS DOUBLE) / MIN(k.n) AS DOUBLE) / LN(2) AS told FROM (SELECT q, t1 AS t, CAST(SUM(n) AS BIGINT) AS n FROM scenario_record GROUP BY q, t1) AS c JOIN class AS k ON c.q = k.q JOIN (SELECT t1 AS t, CAST(SUM(n) AS BIGINT) AS n FROM scenario_record GROUP BY t1) AS v ON c.t = v.t CROSS JOIN total AS w GROUP BY c.q) AS y1;

-- tuple_information
SELECT z.q, z.n, z.b0 + z.b1 + s0.bits + s1.bits AS bits, z.b0, z.b1 FROM (SELECT q, n, CASE WHEN b0 < 0 THEN CAST(0 AS DOUBLE) ELSE b0 END AS b0, CASE WHEN b1 < 0 THEN CAST(0 AS DOUBLE) ELSE b1 END AS b1 FROM (SELECT y.q, y.n, CAST((CAST(y.told0 AS DOUBLE) / y.alike0 - LN(y.alike0 / CAST(w.n AS DOUBLE))) AS DOUBLE) / LN(2) AS b0, CAST((CAST(y.told1 AS DOUBLE) / y.alike1 - LN(y.alike1 / CAST(w.n AS DOUBLE))) AS DOUBLE) / LN(2) AS b1 FROM (SELECT q, n, shared0, CAST(SUM(n) OVER (PARTITION BY o0_0) AS BIGINT) AS alike0, SUM(t0) OVER (PARTITION BY o0_0) AS told0, shared1, CAST(SUM(n) OVER (PARTITION BY o1_0) AS BIGINT) AS alike1, SUM(t1) OVER (PARTITION BY o1_0) AS told1 FROM (SELECT x.q, x.n, d0.n AS shared0, d1.n AS shared1, x.n * LN(x.n / CAST(d0.n AS DOUBLE)) AS t0, x.n * LN(x.n / CAST(d1.n AS DOUBLE)) AS t1, x.w0 - x.a0 AS o0_0, x.w0 - x.a1 AS o1_0 FROM tuple_code AS x LEFT JOIN attribute_class AS d0 ON d0.attribute = 0 AND d0.a = x.a0 LEFT JOIN attribute_class AS d1 ON d1.attribute = 1 AND d1.a = x.a1) AS y) AS y CROSS JOIN total AS w) AS x) AS z JOIN told AS s0 ON s0.sensitive = 0 AND s0.q = z.q JOIN told AS s1 ON s1.sensitive = 1 AND s1.q = z.q;

-- fetched
SELECT MIN(v) FROM (SELECT bits AS v, CAST(SUM(n) OVER (ORDER BY bits ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS reached, CAST(SUM(n) OVER () AS BIGINT) AS total_n FROM tuple_information) AS a WHERE NOT reached * 100 < total_n * 95;

-- fetched
SELECT MIN(bits), CAST(SUM(n * bits) AS DOUBLE) / SUM(n), MAX(bits), MIN(b0), CAST(SUM(n * b0) AS DOUBLE) / SUM(n), MAX(b0), MIN(b1), CAST(SUM(n * b1) AS DOUBLE) / SUM(n), MAX(b1) FROM tuple_information;

-- fetched
SELECT sensitive, MIN(bits), CAST(SUM(n * bits) AS DOUBLE) / SUM(n), MAX(bits) FROM told GROUP BY sensitive;

-- fetched
SELECT attribute, COUNT(*), CAST(SUM(n) AS BIGINT), SUM(CAST(n AS DOUBLE) * (n - 1)) FROM attribute_class GROUP BY attribute;

-- fetched
SELECT n, m FROM class_size ORDER BY n;

-- fetched
SELECT persons AS size, COUNT(*) AS classes FROM class GROUP BY persons ORDER BY size;

-- joined_key
SELECT q, t1, ROW_NUMBER() OVER (ORDER BY q, t1) AS id FROM (SELECT DISTINCT q, t1 FROM scenario_record) AS d;

-- cell
SELECT k.id AS q, x.t0 AS t, CAST(SUM(x.n) AS BIGINT) AS n FROM scenario_record AS x JOIN joined_key AS k ON x.q = k.q AND x.t1 = k.t1 GROUP BY k.id, x.t0;

-- joined_key
SELECT q, t0, ROW_NUMBER() OVER (ORDER BY q, t0) AS id FROM (SELECT DISTINCT q, t0 FROM scenario_record) AS d;

-- cell
SELECT k.id AS q, x.t1 AS t, CAST(SUM(x.n) AS BIGINT) AS n FROM scenario_record AS x JOIN joined_key AS k ON x.q = k.q AND x.t0 = k.t0 GROUP BY k.id, x.t1;
