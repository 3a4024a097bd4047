/** Operations of clients on names, and bytes that identify their writer. */
package org.weft.simulator.model;
