/**
 * Measures for how long clients stand still when a volume moves, its primary is killed or frozen,
 * or SysMgr's leader is killed. It uses a cluster of real processes. {@code it/stalls --help}.
 */
package org.weft.it.stall;
