/**
 * A world in one thread: virtual time and a wire of which every delay comes from a seed, so that a
 * failing run can be had again exactly (P 8.1).
 *
 * <p>Fault model of the wire: connections may be cut at any moment, a listener may go and come
 * back, requests and replies arrive late but never twice and, on one connection, in the order sent.
 */
package org.weft.testkit.sim;
