"""What a model may offer: the names that pass between a study and a worker process."""

METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
)
ATTRIBUTES = (
    "classes_",
    "class_count_",
    "class_prior_",
    "theta_",
    "var_",
    "sigma_",
    "epsilon_",
    "n_features_in_",
)
