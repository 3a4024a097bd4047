/**
 * A whole cluster in one thread, on virtual time and from one seed (P 8.1), and what its operators
 * do. Nothing in here knows what files should hold; workloads and checkers stand on top.
 */
package org.weft.simulator.world;
