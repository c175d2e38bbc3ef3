# SPDX-License-Identifier: LGPL-2.1-or-later
"""What bench/run is made of: workloads, managers, measurements, the report."""
