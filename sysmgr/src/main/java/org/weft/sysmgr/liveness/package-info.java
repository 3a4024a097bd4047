/**
 * Which nodes are alive, as the leader judges from heartbeats (P 5.8, 6.2): pure and
 * single-threaded. What it keeps is soft: a new leader starts from nothing but the configuration.
 * Judgements become durable as commands of {@code configuration}.
 */
package org.weft.sysmgr.liveness;
