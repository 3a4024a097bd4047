/** What must hold when a simulated world is over: raw content, names, quotas, locks, memory. */
package org.weft.simulator.end;
