/** The network between simulated machines, and what may be wrong with it. */
package org.weft.simulator.network;
