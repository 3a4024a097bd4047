/**
 * The whole {@link org.weft.sysmgr.configuration.state.Configuration} after some entry of the log,
 * and what spans several of its rows. That is which OSDs and managers are to hold what, and which
 * volumes an OSD in quarantine may serve (P 5.8). It is also which operations on volumes ended
 * last. Every package of SysMgr reads it; only {@code configuration} makes the next one. Uses
 * {@code node}, {@code volume}, {@code nfs} and {@code cluster}. Immutable.
 */
package org.weft.sysmgr.configuration.state;
