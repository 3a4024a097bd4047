/** What a stranger can do who reaches the ports of a cluster and knows none of its secrets. */
package org.weft.it.attack;
