/**
 * A whole cluster in one thread, on virtual time and from one seed (P 8.1), with its operators. The
 * package does not know what files should hold. Workloads and checkers use it.
 */
package org.weft.simulator.world;
