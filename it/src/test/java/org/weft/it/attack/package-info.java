/**
 * What a stranger can do that reaches the ports of a cluster and knows none of its secrets: state
 * other sessions' numbers, send captured bytes again, guess handles, claim control connections, and
 * flood the ports.
 */
package org.weft.it.attack;
