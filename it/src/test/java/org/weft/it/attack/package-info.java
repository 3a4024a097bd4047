/**
 * What a stranger can do that reaches the ports of a cluster and knows none of its secrets: state
 * other sessions' numbers, send captured bytes again, guess handles, claim control connections,
 * flood the ports, and put old copies in the place of data directories.
 */
package org.weft.it.attack;
