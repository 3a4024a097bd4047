/**
 * Frames as bytes: header, limits, signatures and the handshake (P 5.7; DESIGN §5 "Frames"). Knows
 * neither sockets nor threads, so that the simulated wire carries the very same bytes as the real
 * one.
 */
package org.weft.protocol.frame;
