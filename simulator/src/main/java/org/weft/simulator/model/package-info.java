/** What clients may ask of names, and bytes that tell their writer. */
package org.weft.simulator.model;
