/** Commands on managers that run: {@code weft manager drain} and {@code undrain}. */
package org.weft.cli.manager;
