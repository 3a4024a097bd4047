/**
 * Which OSDs this manager cannot use, and what waits for them (P 5.8). SysMgr is told of it, and
 * gives up an OSD that it hears and managers cannot use. Nothing of a manager waits for one OSD
 * without saying so here. Beside that a manager in trouble asks all OSDs for a sign of life.
 */
package org.weft.metadata.access;
