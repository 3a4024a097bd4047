/** The one configuration file {@code weft.conf} and the table of its keys. */
package org.weft.cli.config;
