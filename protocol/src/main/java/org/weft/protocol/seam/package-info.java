/**
 * The seams of P 8.1: everything that a state machine must not reach for itself. Daemons get
 * adapters of the real thing; the simulator gets fakes from {@code testkit}. The build refuses code
 * that goes around them.
 */
package org.weft.protocol.seam;
