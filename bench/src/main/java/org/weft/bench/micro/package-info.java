/** JMH cases for what runs once for every unit, block or request. */
package org.weft.bench.micro;
