/**
 * Answers the requests of daemons, clients and tools (opcodes 0x03xx). One serial executor, the
 * home, owns all that changes here: leadership, heartbeats, and the order of proposals. Each {@code
 * *Handler} checks one kind of request and turns messages into our records.
 */
package org.weft.sysmgr.service;
