/** Figures of daemons for monitoring: Prometheus over HTTP, and JMX. */
package org.weft.cli.metrics;
