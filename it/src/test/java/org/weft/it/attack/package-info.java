/**
 * What a stranger can do that reaches the ports of a cluster and knows none of its secrets. It
 * states other sessions' numbers, sends captured bytes again, guesses handles and claims control
 * connections. It also floods the ports, and puts old copies in the place of data directories.
 */
package org.weft.it.attack;
