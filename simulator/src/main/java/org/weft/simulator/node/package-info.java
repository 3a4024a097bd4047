/**
 * Machines and the production processes on them: OSDs, managers, members of SysMgr and clients.
 * They are put together as their daemons do it, over simulated disks and the simulated network.
 */
package org.weft.simulator.node;
