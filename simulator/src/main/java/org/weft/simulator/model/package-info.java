/** What clients may ask of names, and bytes that say who wrote them. */
package org.weft.simulator.model;
