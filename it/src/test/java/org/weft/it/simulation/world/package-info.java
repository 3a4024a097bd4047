/**
 * A whole cluster in one thread, on virtual time and from one seed (P 8.1): production daemons and
 * clients on machines whose processes die, whose disks tear and whose network is hostile. Nothing
 * in here knows what files should hold; workloads and checkers stand on top.
 */
package org.weft.it.simulation.world;
