/** A file system as simple as it can be, and bytes that say who wrote them. */
package org.weft.simulator.model;
