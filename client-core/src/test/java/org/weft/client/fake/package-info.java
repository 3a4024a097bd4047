/**
 * A client's world in one thread: virtual time, a wire that delivers when it is told to, and peers that
 * answer as a test scripts them.
 *
 * <p>Fault model of the wire: a peer may be down (connects fail), lose requests or replies by ending the
 * connection before or after it has executed, or answer nothing at all. What tests assert must hold
 * under any mixture of these.
 */
package org.weft.client.fake;
