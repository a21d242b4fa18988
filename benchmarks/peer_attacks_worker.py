"""The process that asks Anonymeter. It runs in Anonymeter's environment, so it imports nothing of ours."""

import json
import sys
import time
import warnings

import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

warnings.simplefilter("ignore")
asked = json.loads(sys.argv[1])
tables = {name: pd.read_csv(path, keep_default_na=False) for name, path in asked["tables"].items()}
original, control = tables["original"], tables["control"]
known, others, attacks = asked["known"], asked["others"], asked["attacks"]


def evaluators(release):
    """Yield every attack: what it is called, what makes it, and what it is evaluated with."""
    shared = {"ori": original, "syn": release, "control": control, "n_attacks": attacks}
    for mode, name in (("univariate", "singling out, one column"), ("multivariate", "singling out, four columns")):
        yield name, lambda: SinglingOutEvaluator(**shared, n_cols=4, seed=1), {"mode": mode}
    yield "linkability, 7 against 6 columns", lambda: LinkabilityEvaluator(**shared, aux_cols=(known, others)), {"n_jobs": 1}
    rest = [name for name in original.columns if name != "income"]
    yield "inference of income, all other columns", lambda: InferenceEvaluator(**shared, aux_cols=rest, secret="income"), {"n_jobs": 1}
    yield "inference of occupation, 7 columns", lambda: InferenceEvaluator(**shared, aux_cols=known, secret="occupation"), {"n_jobs": 1}


for title in asked["releases"]:
    for name, make, how in evaluators(tables[title]):
        begun = time.process_time()
        try:
            evaluator = make()
            evaluator.evaluate(**how)
            found = evaluator.results()
            rates = [found.attack_rate.value, found.control_rate.value, found.baseline_rate.value, evaluator.risk().value]
            said = {"rates": rates}
        except Exception as error:  # whatever it is, it is what users of the tool see
            said = {"failed": type(error).__name__}
        print(json.dumps({"release": title, "attack": name, "seconds": time.process_time() - begun, **said}), flush=True)
