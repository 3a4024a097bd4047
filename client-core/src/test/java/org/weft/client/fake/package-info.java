/**
 * Peers of a client in the simulated world of {@code org.weft.testkit.sim}, which answer as a test
 * scripts them.
 *
 * <p>Fault model of the wire: a peer may be down (connects fail), lose requests or replies by
 * ending the connection before or after it has executed, or answer nothing at all. What tests
 * assert must hold under any mixture of these.
 */
package org.weft.client.fake;
