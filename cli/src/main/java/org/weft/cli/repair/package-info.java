/** Commands on rebuilds and drains: {@code weft repair pause} and {@code weft repair resume}. */
package org.weft.cli.repair;
