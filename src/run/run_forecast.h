/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The forecast of a run of a graph, if all that begins succeeds
 *
 * Some of that is certain before the run is there; the rest depends on results
 * and on commands that judge.
 */

#include "run/run_engine.h"

typedef enum RunForecast {
        RUN_FORECAST_RUNS,
        RUN_FORECAST_MAY_RUN, /* or is skipped */
        RUN_FORECAST_SKIPPED,
        RUN_FORECAST_FAILS, /* its condition has no value */
        _RUN_FORECAST_MAX,
} RunForecast;

DECLARE_STRING_TABLE_TO(run_forecast, RunForecast); /* "may-run" */

typedef struct RunForecastNode {
        RunForecast forecast;
        RunReason reason; /* why it is skipped, fails, may run alone, or waits for a person; NONE: no reason */
        uint32_t step; /* from 1: it begins after nodes of lower ones; 0: it does not */
} RunForecastNode;

/* The answer of a node's condition: 1 if it is not known, 0 with @ret_condition. */
typedef struct RunForecastHost {
        int (*judge)(void *userdata, uint32_t node, RunCondition *ret_condition);
        void *userdata;
} RunForecastHost;

/* @ret_nodes: one for each node of the graph. While a condition is judged those of the nodes above are there. */
void run_forecast(const RunGraph *graph, const RunForecastHost *host, RunForecastNode *ret_nodes);
