/**
 * A world in one thread. Time is virtual, and every delay of the wire comes from a seed, so that a
 * failing run can be repeated exactly (P 8.1).
 *
 * <p>Fault model of the wire: connections may be cut at any moment, and a listener may go and come
 * back. Requests and replies arrive late but never twice and, on one connection, in the order sent.
 */
package org.weft.testkit.sim;
