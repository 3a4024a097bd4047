/** Commands on managers: {@code weft manager drain}, {@code undrain} and {@code remove}. */
package org.weft.cli.manager;
