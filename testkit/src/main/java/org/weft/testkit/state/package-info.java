/** Compares what two state machines know, field by field. */
package org.weft.testkit.state;
