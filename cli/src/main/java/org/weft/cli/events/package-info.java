/** {@code weft events}: what happened to the cluster. */
package org.weft.cli.events;
