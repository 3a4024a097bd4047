/** What daemons tell monitoring: Prometheus over HTTP, and JMX. */
package org.weft.cli.metrics;
