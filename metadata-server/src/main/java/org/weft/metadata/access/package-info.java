/**
 * Which OSDs this manager cannot use, and what waits for them (P 5.8). SysMgr is told of it, and
 * gives up an OSD that it hears and managers cannot use. Every wait of a manager for one OSD is
 * noted here. In addition a manager in trouble asks all OSDs for a sign of life.
 */
package org.weft.metadata.access;
